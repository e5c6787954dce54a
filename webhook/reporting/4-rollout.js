// The model of the rollout picture: lanes of (node, package), each with its steps in order of time.
const STEPS = DATA.steps;
const NAMES = STEPS.names;
const STAGES = ["apply", "config", "interrupt", "post-interrupt", "upgrade", "uninstall", "uninstall-interrupt"];
const HEIGHTS = [2, 4, 8, 14, 20];
const VIEW = { rollout: -1, lanes: [], tops: [], total: 0, from: 0, to: 1, tall: 3, lane: -1, step: -1, end: 1, wrong: [] };

const laneHeight = () => HEIGHTS[VIEW.tall];
const nodeGap = () => (VIEW.tall ? 5 : 1);

function stepsByRollout() {
  const found = new Map();
  STEPS.rollout.forEach((name, i) => {
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(i);
  });
  return found;
}

const ROLLOUTS = stepsByRollout();

function buildLanes() {
  const lanes = new Map();
  for (const i of ROLLOUTS.get(VIEW.rollout) || []) {
    const key = `${STEPS.node[i]} ${STEPS.package[i]}`;
    if (!lanes.has(key)) lanes.set(key, { node: NAMES[STEPS.node[i]], package: NAMES[STEPS.package[i]], steps: [], wrong: 0 });
    const lane = lanes.get(key);
    lane.steps.push(i);
    if (STEPS.wrong[i] === 2) lane.wrong++;
  }
  for (const lane of lanes.values()) lane.steps.sort((a, b) => STEPS.time[a] - STEPS.time[b] || a - b);
  const wanted = $("nodes").value.trim().toLowerCase();
  const kept = [...lanes.values()].filter((lane) => !lane.node || lane.node.toLowerCase().includes(wanted));
  VIEW.lanes = ordered(kept);
  VIEW.wrong = [];
  VIEW.lanes.forEach((lane, at) => lane.steps.forEach((i, k) => { if (STEPS.wrong[i]) VIEW.wrong.push([at, k, STEPS.time[i]]); }));
  VIEW.wrong.sort((a, b) => a[2] - b[2]);
  VIEW.lane = VIEW.step = -1;
  placeLanes();
}

function ordered(lanes) {
  const nodes = new Map();
  for (const lane of lanes) {
    const first = STEPS.time[lane.steps[0]];
    const node = nodes.get(lane.node) || { wrong: 0, start: first };
    nodes.set(lane.node, { wrong: node.wrong + lane.wrong, start: Math.min(node.start, first) });
  }
  const by = $("order").value;
  const rank = (lane) => {
    const node = nodes.get(lane.node);
    return !lane.node ? -Infinity : by === "wrong" ? -node.wrong : by === "start" ? node.start : 0;
  };
  const natural = new Intl.Collator("en", { numeric: true }).compare;
  return lanes.sort((a, b) => rank(a) - rank(b) || natural(a.node, b.node) || natural(a.package, b.package));
}

function placeLanes() {
  let top = 0, before = null;
  VIEW.tops = VIEW.lanes.map((lane) => {
    if (before !== null && lane.node !== before) top += nodeGap();
    before = lane.node;
    const here = top;
    top += laneHeight();
    return here;
  });
  VIEW.total = top + 12;
}

// The lane at a height of the picture; binary search, as there may be many thousands.
function laneAt(y) {
  let low = 0, high = VIEW.tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (VIEW.tops[middle] <= y) low = middle; else high = middle - 1;
  }
  return VIEW.tops.length && y >= 0 && y < VIEW.tops[low] + laneHeight() + nodeGap() ? low : -1;
}

// The last step of a lane at or before a time; -1 before the first.
function stepAt(lane, time) {
  let low = -1, high = lane.steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (STEPS.time[lane.steps[middle]] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

function tellStep(lane, k) {
  const where = lane.node ? `${lane.node}, ${lane.package}` : "the rollout as a whole";
  if (k < 0) return `${where}: ${NAMES[STEPS.old[lane.steps[0]]] || "nothing"} until ${stampOf(lane.steps[0])}`;
  const i = lane.steps[k];
  const next = lane.steps[k + 1];
  const until = next === undefined ? "to the end" : `until ${stampOf(next)}`;
  const wrong = ["", " An odd step, warned about.", " An illegal step."][STEPS.wrong[i]];
  return `${where}: ${NAMES[STEPS.old[i]] || "absent"} → ${NAMES[STEPS.now[i]] || "absent"} at ${stampOf(i)} by ${NAMES[STEPS.user[i]] || "nobody named"}, ${until}.${wrong}`;
}

const stampOf = (i) => stamp(STEPS.base + STEPS.time[i] / 1000, true);

const BY_TIME = new Map();
WRITES.forEach((write, i) => { if (write.time !== null) BY_TIME.set(`${Math.round((write.time - STEPS.base) * 1000)} ${write.name}`, i); });

// The write in which a step was made, if it is one with findings.
function writeOf(i) {
  return BY_TIME.get(`${STEPS.time[i]} ${NAMES[STEPS.node[i]] || NAMES[STEPS.rollout[i]]}`);
}

const STEPS_AT = new Map();
STEPS.time.forEach((time, i) => {
  if (!STEPS.wrong[i]) return;
  const key = `${time} ${NAMES[STEPS.node[i]] || NAMES[STEPS.rollout[i]]}`;
  STEPS_AT.set(key, [...(STEPS_AT.get(key) || []), i]);
});

function stepsOf(write) {
  return write.time === null ? [] : STEPS_AT.get(`${Math.round((write.time - STEPS.base) * 1000)} ${write.name}`) || [];
}
