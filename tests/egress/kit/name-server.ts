import { createSocket } from 'node:dgram';
import { after } from '../../gateway/cleanups.js';

/** A loopback address of this test run alone. */
export const NAME_SERVER = `127.${1 + (process.pid % 126)}.${Math.floor(process.pid / 126) % 256}.53`;

/**
 * A name server on port 53 of `NAME_SERVER`: every name of `names` is this machine, no other is anything.
 * Rejects where the port cannot be had.
 */
export async function nameServer(names: readonly string[]): Promise<{ readonly asked: Set<string> }> {
  const asked = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const { name, end, type } = readQuestion(question);
    asked.add(name);
    const isKnown = names.includes(name);
    const answers = isKnown && type === 1 ? [record('127.0.0.1')] : [];
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, NAME_SERVER, resolve);
  });
  after(() => void socket.close());
  return { asked };
}

function readQuestion(message: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: message.readUInt16BE(at + 1) };
}

/** An answer of type A for the name of the question, for a second. */
function record(address: string): Buffer {
  return Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}
