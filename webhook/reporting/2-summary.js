// The head of the page: counts, tables that choose, and writes over time.
function showHead() {
  const s = DATA.summary;
  const span = s.first === null ? "" : ` from ${stamp(s.first)} to ${stamp(s.last)}`;
  if (!s.writes) $("headline").textContent = "No write was judged: this says nothing about the cluster";
  else $("headline").textContent = `Of ${plural(s.writes, "write", "writes")}${span}, ${count(s.denied)} would have been denied`;
  const facts = [];
  if (s.would_deny) facts.push(`${count(s.would_deny)} more break rules that this policy does not enforce.`);
  if (s.warned) facts.push(`${count(s.warned)} would have been warned about.`);
  if (s.dry_runs) facts.push(`${count(s.dry_runs)} were dry runs.`);
  if (s.refused) facts.push(`${count(s.refused)} had been refused at the time, of which ${count(s.refused_denied)} would be denied here too.`);
  if (s.estimated) facts.push(`${count(s.estimated)} were judged on objects put together from requests.`);
  const missing = Object.values(s.unjudged).reduce((a, b) => a + b, 0);
  if (missing) facts.push(`${count(missing)} more writes could not be judged; why is told at the end.`);
  if (DATA.left) facts.push(`${count(DATA.left)} writes with findings are counted here but not listed.`);
  $("facts").textContent = facts.join(" ");
  $("made").textContent = `Made by skyhook-webhook ${DATA.version} (replay -o html). Nothing on this page is fetched from anywhere.`;
  if (missing) {
    $("unjudged-part").hidden = false;
    const rows = Object.entries(s.unjudged).sort((a, b) => b[1] - a[1]);
    fill($("unjudged"), ["Writes", "Why"], rows.map(([why, n]) => [[count(n), "number"], why]));
  }
}

function fill(table, heads, rows) {
  const head = el("tr", {}, heads.map((h, i) => el("th", { scope: "col", class: rows.length && Array.isArray(rows[0][i]) && rows[0][i][1] === "number" ? "number" : null }, h)));
  const body = rows.map((row) => el("tr", {}, row.map((cell) => Array.isArray(cell) ? el("td", { class: cell[1] }, cell[0]) : el("td", {}, cell))));
  table.replaceChildren(el("thead", {}, head), el("tbody", {}, body));
}

function chooser(kind, name, shown) {
  return el("button", {
    type: "button", "aria-pressed": String(FILTER[kind] === name), title: `Show only the writes of ${name || "nobody named"}`,
    onclick: () => choose(kind, FILTER[kind] === name ? null : name),
  }, shown || name || "(nobody named)");
}

function coloured(number, effect) {
  return [el("span", { class: number ? effect : "dim" }, count(number)), "number"];
}

function showTables() {
  const s = DATA.summary;
  const rules = Object.entries(s.rules).sort((a, b) => (b[1].deny || 0) - (a[1].deny || 0) || (b[1].warn || 0) - (a[1].warn || 0) || a[0].localeCompare(b[0]));
  if (!rules.length) $("rules").replaceChildren(el("tbody", {}, el("tr", {}, el("td", {}, "No rule had anything to say."))));
  else fill($("rules"), ["Rule", "denied", "warned", "audited"], rules.map(([rule, e]) => [chooser("rule", rule),
    coloured(e.deny || 0, "deny"), coloured(e.warn || 0, "warn"), coloured(e.audit || 0, "audit")]));
  for (const [id, kind, title] of [["writers", "user", "Writer"], ["kinds", "kind", "Kind and operation"]]) {
    const rows = Object.entries(s[id]).slice(0, 40);
    fill($(id), [title, "writes", "denied", "warned"], rows.map(([name, b]) => [chooser(kind, name),
      [count(b.writes), "number"], coloured(b.denied, "deny"), coloured(b.warned, "warn")]));
  }
}

const CHART = { at: -1, left: 44, bottom: 20 };

function chartPlaces() {
  const buckets = DATA.summary.over_time.buckets;
  const width = $("time").clientWidth, height = $("time").clientHeight;
  const room = (width - CHART.left - 8) / Math.max(1, buckets.length);
  return { buckets, width, height, room, tall: height - CHART.bottom - 8 };
}

function drawTime() {
  const { buckets, width, height, room, tall } = chartPlaces();
  const pen = sharp($("time"), width, height);
  if (!buckets.length) { pen.fillStyle = colour("dim"); pen.fillText("these recordings hold no times", 12, 24); return; }
  const most = Math.max(...buckets.map((b) => b.writes), 1);
  const base = height - CHART.bottom;
  const scale = (n) => (n ? Math.max(2, n / most * tall) : 0);
  pen.font = "11px system-ui, sans-serif";
  buckets.forEach((bucket, i) => {
    const x = CHART.left + i * room, w = Math.max(1, room - 1);
    const chosen = FILTER.from !== null && bucket.start >= FILTER.from && bucket.start < FILTER.to;
    for (const [n, name] of [[bucket.writes, "bar"], [bucket.warned + bucket.denied, "warn"], [bucket.denied, "deny"]]) {
      pen.fillStyle = colour(name);
      pen.fillRect(x, base - scale(n), w, scale(n));
    }
    if (chosen || i === CHART.at) { pen.strokeStyle = colour("mark"); pen.lineWidth = 2; pen.strokeRect(x, 4, w, base - 4); }
  });
  pen.fillStyle = colour("dim");
  pen.textAlign = "right"; pen.fillText(count(most), CHART.left - 6, 14); pen.fillText("0", CHART.left - 6, base);
  pen.textAlign = "left"; pen.fillText(stamp(buckets[0].start), CHART.left, height - 6);
  pen.textAlign = "right"; pen.fillText(stamp(buckets[buckets.length - 1].start), width - 8, height - 6);
}

function tellBucket(i) {
  const bucket = DATA.summary.over_time.buckets[i];
  CHART.at = i;
  $("time-said").textContent = bucket ? `${stamp(bucket.start)}: ${plural(bucket.writes, "write", "writes")}, ${count(bucket.denied)} denied, ${count(bucket.warned)} warned` : "";
  drawTime();
}

function chooseBucket(i) {
  const bucket = DATA.summary.over_time.buckets[i];
  if (!bucket) return;
  const same = FILTER.from === bucket.start;
  FILTER.from = same ? null : bucket.start;
  FILTER.to = same ? null : bucket.start + DATA.summary.over_time.width;
  refilter();
}

function bucketAt(event) {
  const { room } = chartPlaces();
  return Math.floor((event.offsetX - CHART.left) / room);
}

$("time").addEventListener("mousemove", (event) => tellBucket(bucketAt(event)));
$("time").addEventListener("click", (event) => chooseBucket(bucketAt(event)));
$("time").addEventListener("keydown", (event) => {
  const last = DATA.summary.over_time.buckets.length - 1;
  const moves = { ArrowLeft: CHART.at - 1, ArrowRight: CHART.at + 1, Home: 0, End: last };
  if (event.key in moves) tellBucket(Math.min(last, Math.max(0, moves[event.key])));
  else if (event.key === "Enter" || event.key === " ") chooseBucket(CHART.at);
  else if (event.key === "Escape") { FILTER.from = FILTER.to = null; refilter(); }
  else return;
  event.preventDefault();
});
REDRAWN.push(drawTime);
