// Moving about in the rollout picture: by mouse, by keys, and from a write to its step.
let PENDING = false;

function soon() {
  if (PENDING) return;
  PENDING = true;
  requestAnimationFrame(() => { PENDING = false; drawLanes(); });
}

function zoom(factor, around) {
  const middle = around === undefined ? (VIEW.from + VIEW.to) / 2 : around;
  const length = Math.min(VIEW.end, Math.max(50, (VIEW.to - VIEW.from) * factor));
  const share = (middle - VIEW.from) / (VIEW.to - VIEW.from);
  show(middle - length * share, length);
}

function show(from, length) {
  VIEW.from = Math.min(Math.max(0, from), Math.max(0, VIEW.end - length));
  VIEW.to = VIEW.from + length;
  soon();
}

function changeHeight(by) {
  const box = $("lanes"), at = Math.max(0, laneAt(box.scrollTop));
  VIEW.tall = Math.min(HEIGHTS.length - 1, Math.max(0, VIEW.tall + by));
  placeLanes();
  $("lanes-space").style.height = `${VIEW.total + TOP + 8}px`;
  box.scrollTop = VIEW.tops[at] || 0;
  soon();
}

function chooseStep(at, k) {
  if (!VIEW.lanes.length) return;
  VIEW.lane = Math.min(VIEW.lanes.length - 1, Math.max(0, at));
  const lane = VIEW.lanes[VIEW.lane];
  VIEW.step = Math.min(lane.steps.length - 1, Math.max(0, k));
  const time = STEPS.time[lane.steps[VIEW.step]], length = VIEW.to - VIEW.from;
  if (time < VIEW.from || time > VIEW.to) show(time - length / 3, length);
  const box = $("lanes"), top = VIEW.tops[VIEW.lane];
  if (top < box.scrollTop || top + laneHeight() + TOP + 16 > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  const known = writeOf(lane.steps[VIEW.step]);
  $("lanes-said").textContent = tellStep(lane, VIEW.step) + (known === undefined ? "" : " Enter shows the write.");
  soon();
}

function otherLane(by) {
  const time = VIEW.lane < 0 ? VIEW.from : STEPS.time[VIEW.lanes[VIEW.lane].steps[VIEW.step]];
  const at = Math.min(VIEW.lanes.length - 1, Math.max(0, VIEW.lane + by));
  chooseStep(at, stepAt(VIEW.lanes[at], time));
}

function nextWrong(by) {
  if (!VIEW.wrong.length) { $("lanes-said").textContent = "No step here is illegal or odd."; return; }
  const here = VIEW.wrong.findIndex(([at, k]) => at === VIEW.lane && k === VIEW.step);
  const next = here < 0 ? (by > 0 ? 0 : VIEW.wrong.length - 1) : (here + by + VIEW.wrong.length) % VIEW.wrong.length;
  chooseStep(VIEW.wrong[next][0], VIEW.wrong[next][1]);
}

function openWrite() {
  const known = VIEW.lane < 0 ? undefined : writeOf(VIEW.lanes[VIEW.lane].steps[VIEW.step]);
  if (known === undefined) return;
  if (!LIST.found.includes(known)) $("clear").click();
  select(LIST.found.indexOf(known));
  $("writes-part").scrollIntoView();
  $("writes").focus({ preventScroll: true });
}

function showInRollout(write) {
  const i = stepsOf(write)[0];
  $("rollout").value = String(STEPS.rollout[i]);
  $("nodes").value = "";
  openRollout();
  const at = VIEW.lanes.findIndex((lane) => lane.steps.includes(i));
  chooseStep(at, VIEW.lanes[at].steps.indexOf(i));
  $("rollout-part").scrollIntoView();
  $("lanes").focus({ preventScroll: true });
}

function openRollout() {
  VIEW.rollout = Number($("rollout").value);
  buildLanes();
  showRollout();
  $("lanes").scrollTop = 0;
  $("lanes-said").textContent = `${plural(new Set(VIEW.lanes.map((l) => l.node).filter(Boolean)).size, "node", "nodes")}, ${plural(VIEW.wrong.filter(([at, k]) => STEPS.wrong[VIEW.lanes[at].steps[k]] === 2).length, "illegal step", "illegal steps")}`;
  soon();
}

// The rollout's own time, and a little behind it: how it ended is to be seen.
function showRollout() {
  const times = (ROLLOUTS.get(VIEW.rollout) || []).map((i) => STEPS.time[i]);
  const first = times.reduce((a, b) => Math.min(a, b), VIEW.end), last = times.reduce((a, b) => Math.max(a, b), 0);
  const length = Math.min(VIEW.end, Math.max(50, (last - first) * 1.1));
  show(first - length * .02, length);
}

function timeAt(event) {
  return VIEW.from + (event.offsetX - LEFT) / ($("lanes").clientWidth - LEFT) * (VIEW.to - VIEW.from);
}

function listenToLanes() {
  const box = $("lanes"), canvas = $("lanes-canvas");
  let held = null;
  box.addEventListener("scroll", soon);
  canvas.addEventListener("pointerdown", (event) => { held = { x: event.clientX, from: VIEW.from, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      const by = (event.clientX - held.x) / (box.clientWidth - LEFT) * (VIEW.to - VIEW.from);
      held.moved = held.moved || Math.abs(event.clientX - held.x) > 4;
      if (held.moved) show(held.from - by, VIEW.to - VIEW.from);
      return;
    }
    const at = laneAt(event.offsetY + box.scrollTop - TOP - 8);
    if (at >= 0) $("lanes-said").textContent = tellStep(VIEW.lanes[at], stepAt(VIEW.lanes[at], timeAt(event)));
  });
  canvas.addEventListener("pointerup", (event) => {
    const at = held && !held.moved ? laneAt(event.offsetY + box.scrollTop - TOP - 8) : -1;
    held = null;
    if (at >= 0) chooseStep(at, stepAt(VIEW.lanes[at], timeAt(event)));
  });
  canvas.addEventListener("dblclick", openWrite);
  box.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) zoom(event.deltaY < 0 ? .8 : 1.25, timeAt(event));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) show(VIEW.from + (event.deltaX || event.deltaY) / 800 * (VIEW.to - VIEW.from), VIEW.to - VIEW.from);
    else return;
    event.preventDefault();
  }, { passive: false });
  const keys = {
    ArrowRight: () => chooseStep(VIEW.lane, VIEW.step + 1), ArrowLeft: () => chooseStep(VIEW.lane, VIEW.step - 1),
    ArrowDown: () => otherLane(1), ArrowUp: () => otherLane(-1), PageDown: () => otherLane(20), PageUp: () => otherLane(-20),
    Home: () => chooseStep(VIEW.lane, 0), End: () => chooseStep(VIEW.lane, Infinity),
    "+": () => zoom(.6, selectedTime()), "=": () => zoom(.6, selectedTime()), "-": () => zoom(1.7, selectedTime()), "−": () => zoom(1.7, selectedTime()),
    n: () => nextWrong(1), N: () => nextWrong(-1), Enter: openWrite,
  };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    keys[event.key]();
    event.preventDefault();
  });
  const clicks = { "zoom-in": () => zoom(.6), "zoom-out": () => zoom(1.7), "zoom-all": () => show(0, VIEW.end), taller: () => changeHeight(1), flatter: () => changeHeight(-1), "next-wrong": () => nextWrong(1) };
  for (const [id, work] of Object.entries(clicks)) $(id).addEventListener("click", work);
  $("rollout").addEventListener("change", openRollout);
  for (const id of ["nodes", "order"]) $(id).addEventListener("input", () => { buildLanes(); soon(); });
  $("rollout-tools").addEventListener("submit", (event) => event.preventDefault());
}

function selectedTime() {
  return VIEW.lane < 0 ? undefined : STEPS.time[VIEW.lanes[VIEW.lane].steps[VIEW.step]];
}
