/** bench/RESULTS.md: the tables of each part's last run, with the machine, the date and the commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const FILE = new URL('RESULTS.md', import.meta.url);
const HEAD = `# Results

\`npm run bench\` writes this file, one section a part. All subjects of a part are measured in one run, in turns, and a
figure is the median of its rounds. Quote the ratios: absolutes depend on the machine and on its neighbours.
[The cost of a call](../docs/decisions/15-the-cost-of-a-call.md) says which goals are reached and where the time goes.
`;

/** The machine, the date, the commit and the form of a run, in one line. */
export function stamp({ short }) {
  const git = (...args) =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
    }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ', with changes';
  const [{ model } = { model: 'unknown processor' }, ...more] = cpus();
  return [
    new Date().toISOString().slice(0, 10),
    `commit ${git('rev-parse', '--short=10', 'HEAD')}${changed}`,
    `Node ${process.versions.node}`,
    `${platform()} ${arch()}`,
    `${more.length + 1} × ${model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    short ? 'short form: expect noise' : 'full form',
  ].join(', ');
}

/** Runs a part and gives the text that it prints meanwhile. */
export async function printed(part, form) {
  const stdout = process.stdout;
  const write = stdout.write.bind(stdout);
  const chunks = [];
  stdout.write = (chunk, ...rest) => {
    chunks.push(Buffer.from(chunk));
    return write(chunk, ...rest);
  };
  try {
    await part(form);
  } finally {
    stdout.write = write;
  }
  return Buffer.concat(chunks).toString().replace(/^\n+/, '').trimEnd();
}

/** Puts a part's section in the place of the one before it; the parts stand in the order of `names`. */
export function keep(names, name, about, text) {
  const sections = new Map();
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  for (const section of before.split(/^## /m).slice(1)) {
    sections.set(section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n')).trim());
  }
  sections.set(name, `${about}.\n\n\`\`\`\n${text}\n\`\`\``);
  const kept = names.filter((one) => sections.has(one));
  writeFileSync(FILE, [HEAD, ...kept.map((one) => `## ${one}\n\n${sections.get(one)}\n`)].join('\n'));
}
