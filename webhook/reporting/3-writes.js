// The writes: searched, filtered, in a list that draws only what is in view, and one of them in full.
const ROW = 52;
const FILTER = { text: "", rule: null, user: null, kind: null, from: null, to: null };
const LIST = { found: [], at: -1 };

const grouped = (user) => (user.startsWith("system:node:") ? "system:node:*" : user);

function matches(write, shown) {
  if (!shown[write.effect]) return false;
  if (FILTER.rule !== null && !write.findings.some((f) => f.rule === FILTER.rule)) return false;
  if (FILTER.user !== null && grouped(write.user) !== FILTER.user) return false;
  if (FILTER.kind !== null && `${write.kind}${write.subresource ? "/" + write.subresource : ""} ${write.operation}` !== FILTER.kind) return false;
  if (FILTER.from !== null && !(write.time >= FILTER.from && write.time < FILTER.to)) return false;
  return FILTER.words.every((word) => write.text.includes(word));
}

function refilter() {
  const shown = Object.fromEntries(Object.keys(EFFECTS).map((e) => [e, $("show-" + e).checked]));
  FILTER.words = FILTER.text.toLowerCase().split(/\s+/).filter(Boolean);
  LIST.found = [];
  WRITES.forEach((write, i) => { if (matches(write, shown)) LIST.found.push(i); });
  LIST.at = LIST.found.length ? 0 : -1;
  $("found").textContent = LIST.found.length === WRITES.length
    ? `${plural(WRITES.length, "write", "writes")} with findings`
    : `${count(LIST.found.length)} of ${plural(WRITES.length, "write", "writes")} with findings`;
  $("writes-space").style.height = `${LIST.found.length * ROW}px`;
  $("writes").style.height = `${Math.max(1, LIST.found.length) * ROW + 2}px`;
  $("writes").scrollTop = 0;
  showChosen();
  showTables();
  drawTime();
  drawRows();
  showDetail();
}

function choose(kind, name) {
  FILTER[kind] = name;
  refilter();
}

function showChosen() {
  const names = { rule: "rule", user: "writer", kind: "kind" };
  const chips = Object.keys(names).filter((kind) => FILTER[kind] !== null).map((kind) =>
    el("button", { type: "button", onclick: () => choose(kind, null), "aria-label": `No longer only ${names[kind]} ${FILTER[kind]}` }, `${names[kind]}: ${FILTER[kind] || "(nobody named)"} ✕`));
  if (FILTER.from !== null) {
    chips.push(el("button", { type: "button", onclick: () => { FILTER.from = FILTER.to = null; refilter(); } }, `from ${stamp(FILTER.from)} ✕`));
  }
  $("chosen").replaceChildren(...chips);
}

function drawRows() {
  const box = $("writes");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 3);
  const last = Math.min(LIST.found.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 3);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(rowOf(i));
  $("writes-space").replaceChildren(...rows);
  if (LIST.at >= 0) box.setAttribute("aria-activedescendant", `row-${LIST.at}`);
  else box.removeAttribute("aria-activedescendant");
}

function rowOf(i) {
  const write = WRITES[LIST.found[i]];
  const loudest = write.findings[0];
  const row = el("div", {
    class: "row", role: "option", id: `row-${i}`, "aria-selected": String(i === LIST.at),
    "aria-setsize": LIST.found.length, "aria-posinset": i + 1, onclick: () => select(i),
  }, el("div", {}, el("span", { class: `badge ${write.effect}` }, EFFECTS[write.effect]), ` ${write.operation} ${write.what}`),
  el("div", { class: "second" }, `${stamp(write.time)} ${write.user || "(nobody named)"}: ${loudest ? loudest.message : ""}`));
  row.style.top = `${i * ROW}px`;
  return row;
}

function select(i) {
  if (!LIST.found.length) return;
  LIST.at = Math.min(LIST.found.length - 1, Math.max(0, i));
  const box = $("writes"), top = LIST.at * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  drawRows();
  showDetail();
}

function showDetail() {
  const write = LIST.at < 0 ? null : WRITES[LIST.found[LIST.at]];
  if (!write) { $("detail").replaceChildren(el("p", { class: "hint" }, WRITES.length ? "No write matches." : "No write has findings.")); return; }
  const extra = stepsOf(write).length
    ? el("p", {}, el("button", { type: "button", onclick: () => showInRollout(write) }, "Show in the rollout")) : null;
  $("detail").replaceChildren(...told(write, "h3"), ...(extra ? [extra] : []));
}

function told(write, heading) {
  const parts = [el(heading, {}, el("span", { class: `badge ${write.effect}` }, EFFECTS[write.effect]), ` ${write.operation} ${write.what}`)];
  const outcome = { done: "it went through", refused: "it was refused", "dry-run": "a dry run", unknown: "" }[write.outcome];
  const facts = [stamp(write.time, true), `by ${write.user || "nobody named"} (${write.writer})`, outcome && `at the time ${outcome}`,
    write.estimated && "judged on objects put together from requests"].filter(Boolean);
  parts.push(el("p", {}, facts.join("; ")));
  parts.push(el("ul", {}, write.findings.map((f) => {
    const averted = write.would_deny.includes(f.rule) && f.severity !== "deny";
    const effect = averted ? "averted" : f.severity;
    return el("li", {}, el("span", { class: `badge ${effect}` }, EFFECTS[effect]), " ", f.field ? el("code", {}, f.field) : null, f.field ? ": " : "", f.message);
  })));
  if (write.changes.length) {
    const table = el("table", { class: "diff" });
    fill(table, ["What the write changed", "before", "after"], write.changes.map(([field, old, now]) => [[field, "mono"],
      [old === null ? "absent" : el("del", {}, old), "mono"], [now === null ? "absent" : el("ins", {}, now), "mono"]]));
    parts.push(table);
  }
  parts.push(el("p", { class: "hint" }, el("code", {}, `skyhook-webhook explain --review ${write.source}:${write.line}`), ` tells every rule's verdict (${write.uid})`));
  return parts;
}

$("writes").addEventListener("scroll", drawRows);
$("writes").addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor($("writes").clientHeight / ROW) - 1);
  const moves = { ArrowDown: LIST.at + 1, ArrowUp: LIST.at - 1, PageDown: LIST.at + page, PageUp: LIST.at - page, Home: 0, End: LIST.found.length - 1 };
  if (event.key in moves) select(moves[event.key]);
  else if (event.key === "Enter") $("detail").focus();
  else return;
  event.preventDefault();
});
$("search").addEventListener("input", () => { FILTER.text = $("search").value; refilter(); });
$("filters").addEventListener("submit", (event) => event.preventDefault());
for (const effect of Object.keys(EFFECTS)) $("show-" + effect).addEventListener("change", refilter);
$("clear").addEventListener("click", () => {
  Object.assign(FILTER, { text: "", rule: null, user: null, kind: null, from: null, to: null });
  $("search").value = "";
  for (const effect of Object.keys(EFFECTS)) $("show-" + effect).checked = true;
  refilter();
});
