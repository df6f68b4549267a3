/** The only thing beside text in a report of HTML. Its hash stands in the policy of the page. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #59636e; --line: #d1d9e0; --back: #fff; --stripe: #f6f8fa;
  --good: #1a7f37; --warn: #9a6700; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9198a1; --line: #3d444d; --back: #0d1117;
  --stripe: #151b23; --good: #3fb950; --warn: #d29922; --bad: #ff7b72; } }
* { box-sizing: border-box; }
html { background: var(--back); color: var(--ink); }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 3rem; font: 15px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }
p { margin: .4rem 0; }
code { font: .87em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt, .dim, th, footer { color: var(--dim); }
dd { margin: 0; }
.remark { border-left: 3px solid var(--warn); padding-left: .7rem; margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92em; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 500; font-size: .85em; white-space: nowrap; }
td.text { width: 99%; min-width: 10rem; }
.right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.short { white-space: nowrap; overflow-wrap: break-word; }
.short code { display: inline-block; max-width: 20rem; white-space: pre-wrap;
  overflow-wrap: break-word; }
@media (min-width: 62rem) { .short code { width: max-content; } }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
@media (max-width: 40rem) { thead { display: none; } td::before { content: attr(data-name) ' '; color: var(--dim);
  font-size: .85em; } td:empty, td.text::before { display: none; } tr { display: flex; flex-wrap: wrap; gap: .1rem 1rem;
  padding: .45rem 0; border-bottom: 1px solid var(--line); } td, td.text { border: 0; padding: 0; width: auto; }
  td.text { flex-basis: 100%; min-width: 0; } .short { white-space: normal; } }
footer { margin-top: 2.5rem; font-size: .85em; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } tr { break-inside: avoid; }
  thead { display: table-header-group; } h2 { break-after: avoid; }
  :root { --ink: #000; --dim: #444; --line: #bbb; --back: #fff; --good: #000; --warn: #000; --bad: #000; } }
`;
