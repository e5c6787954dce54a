// The page as a whole: appearance, printing, and the start.
const ON_PAPER = 300, LANES_ON_PAPER = 160;

function onPaper() {
  const found = LIST.found.slice(0, ON_PAPER).map((i) => el("article", {}, told(WRITES[i], "h3")));
  const rest = LIST.found.length - found.length;
  const parts = [el("h2", {}, "Writes"), el("p", {}, $("found").textContent), ...found];
  if (rest > 0) parts.push(el("p", {}, `and ${count(rest)} more that are not printed`));
  $("paper").replaceChildren(...pictures(), ...parts);
}

// The lanes as they are sorted and filtered, in pictures that fit a page, in the colours of paper.
function pictures() {
  if ($("rollout-part").hidden || !VIEW.lanes.length) return [];
  const made = [el("h2", {}, `Rollout ${NAMES[VIEW.rollout]}`), el("p", {}, "Full bars: complete; hatched: in progress; hollow: skipped; red: erroring; ▼ an illegal step.")];
  const before = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  const last = Math.min(VIEW.lanes.length, LANES_ON_PAPER);
  for (let first = 0; first < last;) {
    let end = first;
    while (end < last && VIEW.tops[end] - VIEW.tops[first] < 700) end++;
    const height = VIEW.tops[end - 1] - VIEW.tops[first] + laneHeight() + TOP + 20;
    const canvas = document.createElement("canvas");
    const pen = sharp(canvas, 1100, height);
    pen.fillStyle = colour("back"); pen.fillRect(0, 0, 1100, height);
    paint(pen, 1100, first, end, TOP + 8 - VIEW.tops[first], colour);
    drawAxis(pen, 1100, colour);
    made.push(el("img", { src: canvas.toDataURL("image/png"), alt: `lanes ${first + 1} to ${end} of ${VIEW.lanes.length}` }));
    first = end;
  }
  if (before === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = before;
  if (VIEW.lanes.length > last) made.push(el("p", {}, `and ${count(VIEW.lanes.length - last)} more lanes that are not printed`));
  return made;
}

// Where most went wrong stands first, then where most happened.
function rollouts() {
  const known = [...ROLLOUTS].map(([name, steps]) => ({ name, length: steps.length, wrong: steps.filter((i) => STEPS.wrong[i] === 2).length }));
  known.sort((a, b) => b.wrong - a.wrong || b.length - a.length);
  return known.map((one) => el("option", { value: one.name }, `${NAMES[one.name]} (${plural(one.length, "step", "steps")}${one.wrong ? `, ${count(one.wrong)} illegal` : ""})`));
}

function start() {
  showHead();
  if (STEPS.time.length) {
    $("rollout-part").hidden = false;
    VIEW.end = Math.max(1, STEPS.span);
    $("rollout").replaceChildren(...rollouts());
    listenToLanes();
    drawLegend();
    openRollout();
  }
  refilter();
}

$("theme").addEventListener("change", () => {
  if ($("theme").value) document.documentElement.dataset.theme = $("theme").value;
  else delete document.documentElement.dataset.theme;
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("resize", redraw);
addEventListener("beforeprint", onPaper);
$("print").addEventListener("click", () => window.print());
document.addEventListener("keydown", (event) => {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.key === "/" && !typing) { event.preventDefault(); $("search").focus(); }
});
start();
