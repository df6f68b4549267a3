/**
 * Takes what a port sends, as fast as it comes, and drops it; says when it begins. Usage: drain.mjs PORT
 * REQUEST, in base64
 */
import { connect } from 'node:net';

const [port, request] = process.argv.slice(2);
const buffer = Buffer.alloc(262_144);
let isFirst = true;
const callback = () => {
  if (isFirst) process.stdout.write('begun\n');
  isFirst = false;
  return true;
};
const socket = connect({ host: '127.0.0.1', port: Number(port), onread: { buffer, callback } });
socket.write(Buffer.from(request, 'base64'));
