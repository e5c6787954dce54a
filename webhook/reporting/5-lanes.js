// The picture of a rollout: one canvas that draws the lanes in view.
const LEFT = 230, TOP = 24;
let PATTERN = null;

function hatch(pen) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const ink = tile.getContext("2d");
  ink.strokeStyle = colour("hatch"); ink.lineWidth = 2;
  for (const shift of [-6, 0, 6]) { ink.beginPath(); ink.moveTo(shift, 6); ink.lineTo(shift + 6, 0); ink.stroke(); }
  return pen.createPattern(tile, "repeat");
}

// How a value is drawn: [colour, way], where way is solid, hatched, hollow or broken.
function look(value) {
  const [stage, state] = value.split("/");
  if (state === undefined) {
    if (value === "complete") return ["s1", "solid"];
    if (value === "in_progress") return ["s0", "hatched"];
    return value === "erroring" ? ["s8", "broken"] : ["s7", value === "disabled" || value === "paused" ? "hollow" : "hatched"];
  }
  const name = STAGES.includes(stage) ? "s" + STAGES.indexOf(stage) : "s7";
  return [name, { complete: "solid", in_progress: "hatched", skipped: "hollow", erroring: "broken" }[state] || "hatched"];
}

function bar(pen, value, x, y, width, height, shades) {
  const [name, way] = look(value);
  const w = Math.max(1, width);
  if (way === "hollow" && height > 4) {
    pen.strokeStyle = shades(name); pen.lineWidth = 1.5;
    pen.strokeRect(x + .75, y + .75, Math.max(1, w - 1.5), height - 1.5);
    return;
  }
  pen.fillStyle = shades(way === "broken" ? "s8" : name);
  pen.fillRect(x, y, w, height);
  if (way === "hatched") { pen.fillStyle = PATTERN; pen.fillRect(x, y, w, height); }
  if (way === "broken" && height > 4) { pen.fillStyle = shades(name); pen.fillRect(x, y, w, Math.max(2, height / 4)); }
}

function marker(pen, wrong, x, y, height, shades) {
  const size = Math.max(5, Math.min(8, height));
  pen.beginPath();
  if (wrong === 2) { pen.moveTo(x - size, y - 2); pen.lineTo(x + size, y - 2); pen.lineTo(x, y + size); }
  else { pen.moveTo(x, y - 3); pen.lineTo(x + size * .7, y + size * .5 - 2); pen.lineTo(x, y + size); pen.lineTo(x - size * .7, y + size * .5 - 2); }
  pen.closePath();
  pen.fillStyle = shades(wrong === 2 ? "deny" : "warn"); pen.strokeStyle = shades("back"); pen.lineWidth = 2;
  pen.stroke(); pen.fill();
  pen.fillRect(x - .75, y, 1.5, height);
}

function drawAxis(pen, width, shades) {
  const room = width - LEFT;
  pen.fillStyle = shades("back"); pen.fillRect(0, 0, width, TOP);
  pen.fillStyle = shades("dim"); pen.textBaseline = "middle";
  const marks = Math.max(2, Math.floor(room / 190));
  for (let i = 0; i < marks; i++) {
    const x = LEFT + i * room / marks;
    const time = VIEW.from + i / marks * (VIEW.to - VIEW.from);
    pen.fillRect(x, TOP - 6, 1, 6);
    pen.textAlign = "left";
    pen.fillText(stamp(STEPS.base + time / 1000, VIEW.to - VIEW.from < 5000).replace(" UTC", ""), x + 4, TOP / 2);
  }
  pen.fillStyle = shades("line"); pen.fillRect(0, TOP - 1, width, 1);
}

// Draws the lanes from `first` to `last` so that lane `first` stands at `shift`.
function paint(pen, width, first, last, shift, shades) {
  PATTERN = hatch(pen);
  pen.font = "12px system-ui, sans-serif";
  const height = laneHeight(), scale = (width - LEFT) / (VIEW.to - VIEW.from);
  const across = (time) => LEFT + (time - VIEW.from) * scale;
  const flags = [];
  for (let at = first; at < last; at++) {
    const lane = VIEW.lanes[at], y = VIEW.tops[at] + shift;
    pen.save(); pen.beginPath(); pen.rect(LEFT, y - 6, width - LEFT, height + 12); pen.clip();
    let drawn = -Infinity;
    const begin = Math.max(-1, stepAt(lane, VIEW.from));
    for (let k = begin; k < lane.steps.length; k++) {
      const start = k < 0 ? 0 : STEPS.time[lane.steps[k]];
      if (start > VIEW.to) break;
      const end = k + 1 < lane.steps.length ? STEPS.time[lane.steps[k + 1]] : VIEW.end;
      const value = NAMES[k < 0 ? STEPS.old[lane.steps[0]] : STEPS.now[lane.steps[k]]];
      const x = Math.max(LEFT - 2, across(start)), to = Math.min(width + 2, across(end));
      if (value && (to - x >= .5 || x - drawn >= .5)) { bar(pen, value, x, y, to - x, height, shades); drawn = x; }
      if (value && height >= 14 && to - x > 60) label(pen, value, x, y, to - x, height, shades);
      if (k >= 0 && STEPS.wrong[lane.steps[k]]) flags.push([STEPS.wrong[lane.steps[k]], across(start), y]);
      if (at === VIEW.lane && k === VIEW.step) { pen.strokeStyle = shades("text"); pen.lineWidth = 3; pen.strokeRect(x, y - 1, Math.max(3, to - x), height + 2); }
    }
    pen.restore();
    names(pen, at, y, height, shades);
  }
  for (const [wrong, x, y] of flags) if (x >= LEFT - 1 && x <= width) marker(pen, wrong, x, y, height, shades);
}

function label(pen, value, x, y, width, height, shades) {
  pen.save(); pen.beginPath(); pen.rect(x, y, width - 3, height); pen.clip();
  pen.textAlign = "left"; pen.textBaseline = "middle";
  pen.lineWidth = 3; pen.strokeStyle = shades("back"); pen.fillStyle = shades("text");
  pen.strokeText(value, x + 5, y + height / 2); pen.fillText(value, x + 5, y + height / 2);
  pen.restore();
}

// The text, its end left out where there is no room for it.
function fitting(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + "…").width <= room) low = middle; else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

function names(pen, at, y, height, shades) {
  const lane = VIEW.lanes[at];
  const firstOfNode = at === 0 || VIEW.lanes[at - 1].node !== lane.node;
  pen.textBaseline = "middle"; pen.textAlign = "left";
  pen.save(); pen.beginPath(); pen.rect(0, y - 6, LEFT - 8, Math.max(height, 13) + 6); pen.clip();
  pen.fillStyle = shades(at === VIEW.lane ? "mark" : "text");
  if (height >= 14) {
    const room = LEFT - 26 - Math.min(LEFT / 2, pen.measureText(lane.package).width);
    if (!lane.node) pen.fillText(fitting(pen, `${NAMES[VIEW.rollout]} (all)`, room), 8, y + height / 2);
    else if (firstOfNode) pen.fillText(fitting(pen, lane.node, room), 8, y + height / 2);
    pen.fillStyle = shades("dim"); pen.textAlign = "right";
    pen.fillText(fitting(pen, lane.package, LEFT / 2), LEFT - 10, y + height / 2);
  } else if (firstOfNode && (height >= 8 || at % Math.ceil(16 / (height + 1)) === 0)) {
    pen.fillText(fitting(pen, lane.node || `${NAMES[VIEW.rollout]} (all)`, LEFT - 20), 8, y + 6);
  }
  pen.restore();
}

function drawLanes() {
  if ($("rollout-part").hidden) return;
  const box = $("lanes");
  box.style.height = `${VIEW.total + TOP + 10}px`;
  $("lanes-space").style.height = `${VIEW.total + TOP + 8}px`;
  const width = box.clientWidth, height = box.clientHeight;
  const canvas = $("lanes-canvas");
  const pen = sharp(canvas, width, height);
  const cache = new Map();
  const shades = (name) => { if (!cache.has(name)) cache.set(name, colour(name)); return cache.get(name); };
  pen.fillStyle = shades("back"); pen.fillRect(0, 0, width, height);
  const scroll = box.scrollTop;
  const first = Math.max(0, laneAt(Math.max(0, scroll)) - 1);
  let last = first;
  while (last < VIEW.lanes.length && VIEW.tops[last] < scroll + height) last++;
  paint(pen, width, first, last, TOP + 8 - scroll, shades);
  drawAxis(pen, width, shades);
}

function drawLegend() {
  const items = [...STAGES.map((stage) => [`${stage}/complete`, stage]), ["apply/in_progress", "in progress"], ["apply/skipped", "skipped"], ["config/erroring", "erroring"]];
  $("legend").replaceChildren(...items.map(([value, name]) => {
    const canvas = el("canvas", {});
    canvas.style.width = "26px"; canvas.style.height = "12px";
    const pen = sharp(canvas, 26, 12);
    PATTERN = hatch(pen);
    bar(pen, value, 0, 0, 26, 12, colour);
    return el("span", {}, canvas, name);
  }), ...[[2, "illegal step"], [1, "odd step"]].map(([wrong, name]) => {
    const canvas = el("canvas", {});
    canvas.style.width = "20px"; canvas.style.height = "14px";
    marker(sharp(canvas, 20, 14), wrong, 10, 3, 9, colour);
    return el("span", {}, canvas, name);
  }));
}
REDRAWN.push(() => { if (!$("rollout-part").hidden) { drawLegend(); drawLanes(); } });
