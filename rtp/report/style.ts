/** Uses light or dark colours, depending on the reader's system setting. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b2430;--quiet:#687385;--page:#f6f7f9;--card:#fff;--line:#dfe4ea;--accent:#2563c9;--good:#13795b;--bad:#c2313a;--mark:#d98a16}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--quiet:#939eae;--page:#10141a;--card:#181e27;--line:#2b3441;--accent:#6ea3f5;--good:#4fc59b;--bad:#f2767d;--mark:#f0b75a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1000px;margin:0 auto;padding:40px 20px 80px}
h1{font-size:30px;line-height:1.2;margin:0 0 6px;letter-spacing:-.02em}
h2{font-size:20px;margin:44px 0 10px}
h3{font-size:15px;margin:0 0 8px}
p{margin:0 0 12px;max-width:72ch}
.quiet{color:var(--quiet)}
.verdict{display:inline-block;margin:14px 0;padding:7px 16px;border-radius:999px;font-weight:600;color:var(--card);background:var(--good)}
.verdict.bad{background:var(--bad)}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px;margin:14px 0;overflow-x:auto}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:14px}
.grid .card{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0;padding:0;list-style:none}
.facts b{font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--quiet);text-align:right;padding:4px 10px}
td{text-align:right;padding:4px 10px;border-top:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}
td.off{color:var(--bad);font-weight:600}
code{font:13px ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
details{margin:14px 0}
summary{cursor:pointer;font-weight:600;padding:6px 0}
svg{display:block;width:100%;height:auto;font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
svg .text{fill:var(--ink)}
svg .quiet{fill:var(--quiet)}
svg .number{fill:var(--ink);text-anchor:end}
svg .number.quiet{fill:var(--quiet)}
svg .tick{fill:var(--quiet);font-size:11px;text-anchor:middle}
svg .tick.end{text-anchor:end}
svg .tick.start{text-anchor:start}
svg .band{fill:var(--accent);opacity:.09}
svg .axis{stroke:var(--quiet);stroke-width:1}
svg .hair{stroke:var(--line);stroke-width:1}
svg .stem{stroke:var(--accent);stroke-width:2;opacity:.5}
svg .dot{fill:var(--accent)}
svg .dot.far{fill:var(--bad)}
svg .curve{fill:none;stroke:var(--accent);stroke-width:1.8}
svg .bar{fill:var(--accent);opacity:.75}
svg .mark{stroke:var(--mark);stroke-width:2}
`;
