// npm run privacy-audit [-- ROOT] [--json] [--only PART]: the proof that only the gateway touches the
// network.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { auditBundles } from './bundles.mjs';
import { auditDependencies } from './dependencies.mjs';
import { check, render } from './report.mjs';
import { Reviewed } from './reviewed.mjs';
import { auditSession } from './session/session.mjs';
import { auditSources } from './sources.mjs';

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const root = resolve(positionals[0] ?? fileURLToPath(new URL('../..', import.meta.url)));
const parts = ['sources', 'bundles', 'dependencies', 'session'];
const wanted = values.only ?? parts;
const unknown = wanted.filter((part) => !parts.includes(part));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no part \`${unknown.join(', ')}\`\nhelp: the parts are ${parts.join(', ')}\n`,
  );
  process.exit(2);
}

const reviewed = new Reviewed(root);
const checks = [
  ...(wanted.includes('sources') ? auditSources(root) : []),
  ...(wanted.includes('bundles') ? auditBundles(root, reviewed) : []),
  ...(wanted.includes('dependencies') ? auditDependencies(root, reviewed) : []),
  ...(wanted.includes('session') ? auditSession(root) : []),
];
if (wanted.includes('bundles') && wanted.includes('dependencies')) {
  checks.push(
    check(
      'reviewed',
      'reviewed.json',
      `${reviewed.uses.length + reviewed.edges.length} entries`,
      reviewed.stale(),
    ),
  );
}
process.stdout.write(values.json ? `${JSON.stringify({ root, checks }, null, 2)}\n` : render(checks));
process.exitCode = checks.some(({ status }) => status === 'failed') ? 1 : 0;
