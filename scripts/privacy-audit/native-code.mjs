// Compiled add-ons: which functions of the operating system's network interface they link to.
import { readFileSync } from 'node:fs';

const SYMBOLS = [
  'socket',
  'connect',
  'getaddrinfo',
  'gethostbyname',
  'sendto',
  'sendmsg',
  'dlopen',
  'syscall',
];
const SYMBOLS_OF_LIBUV = ['uv_tcp_init', 'uv_tcp_connect', 'uv_udp_init', 'uv_getaddrinfo', 'uv_spawn'];

/**
 * The symbols of the network (and of ways around it) that a binary names. A linked function's name stands in
 * the binary's string table between zero bytes, on Linux as it is, on macOS with a leading underscore.
 * @param {string} file
 * @returns {string[]}
 */
export function opensSockets(file) {
  const bytes = readFileSync(file);
  return [...SYMBOLS, ...SYMBOLS_OF_LIBUV].filter((symbol) =>
    [symbol, `_${symbol}`].some((name) => bytes.includes(`\0${name}\0`, 0, 'latin1')),
  );
}
