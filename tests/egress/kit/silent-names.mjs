// The network is its own, and its only name server answers for `*.answers.test` and for nothing else. Four
// runs ask for ten silent names each, then another run and the operator ask for a name each. The program
// prints the answers that came while the silent names were asked for.
import { createSocket } from 'node:dgram';
import { writeSync } from 'node:fs';
import { SystemResolver } from '../../../packages/egress/dist/system-resolver.js';

const server = createSocket('udp4');
server.on('message', (question, { port, address }) => {
  if (!question.includes('answers')) return;
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(isA ? 1 : 0, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  server.send(isA ? Buffer.concat([head, record]) : head, port, address);
});
await new Promise((resolve) => server.bind(53, '127.0.0.1', resolve));

const resolver = new SystemResolver();
const ask = (name, run) => resolver.resolve(name, new AbortController().signal, run);
let silent = 0;
for (let run = 0; run < 4; run += 1)
  for (let n = 0; n < 10; n += 1) {
    silent += 1;
    const over = () => (silent -= 1);
    ask(`n${n}.of${run}.silent.test`, `greedy ${run}`).then(over, over);
  }
const found = await Promise.all([ask('run.answers.test', 'honest'), ask('operator.answers.test', undefined)]);
writeSync(1, JSON.stringify({ found, silent }));
// The system cannot be told to stop asking, and an exit would wait for it.
process.kill(process.pid, 'SIGKILL');
