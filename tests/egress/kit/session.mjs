// What runs under strace. Argument: a file with groups of steps; the steps of a group run side by side, at
// most three at once. Prints what each of them answered, as JSON. `{NAME:KEY}` in an argument is what the
// answer of an earlier step, given as JSON, has under `data`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { groups } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const answers = {};

/** Runs one step: `{name, argv, input}`. */
function run({ name, argv, input = '' }) {
  return new Promise((resolve) => {
    const [program, ...args] = argv.map((word) =>
      word.replaceAll(/\{([a-z.]+):(\w+)\}/g, (_, of, key) => JSON.parse(answers[of].stdout).data[key]),
    );
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdin.on('error', () => undefined).end(input);
    child.once('close', (code) => {
      answers[name] = { code, stdout, stderr };
      resolve();
    });
  });
}

for (const group of groups) {
  const waiting = [...group];
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await run(step);
  };
  await Promise.all([worker(), worker(), worker()]);
}
process.stdout.write(JSON.stringify(answers));
