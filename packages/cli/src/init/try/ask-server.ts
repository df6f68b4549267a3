import { spawn } from 'node:child_process';
import {
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  parseJson,
  textAt,
  redact,
  type JsonObject,
} from '@subluminal/core-types';
import { clip } from '../../output/escape.js';
import type { Launch } from './launch.js';

/** A server that has to be fetched first may take so long. */
const PATIENCE_MS = 45_000;
/** How long it may take to end once it was told. */
const END_MS = 5000;
const MAX_LINE = 8 * 1024 * 1024;
/** Of a server's words so many characters are looked at. */
const MAX_SAID = 8192;
const MAX_PAGES = 20;
/** So much of a server's last words is shown. */
const MAX_LINES = 4;
const MAX_SHOWN = 200;
/** Lines of the run and the shim around a server, and those of Node's stacks that name no error. */
const NOISE = /^(?:sub(?: shim)?: |at .*:\d+:\d+\)?$|\^+$|node:internal|Node\.js v\d)/;

/** A server's answer: how many tools it lists, or why there is none. */
export type Answered = { readonly tools: number } | { readonly problem: string };

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'sub-init', version: '1' },
};

/** Starts a server, asks for the list of its tools, and ends it. Calls no tool. */
export function askServer(launch: Launch, signal: AbortSignal): Promise<Answered> {
  return new Promise((resolve) => {
    const { command, args, env, cwd } = launch;
    const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let answer: Answered | undefined;
    let rest = '';
    let stderr = '';
    let tools = 0;
    let id = 1;
    const send = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const settle = (found: Answered): void => {
      answer ??= found;
      child.stdin.end();
      killer ??= setTimeout(end, END_MS);
    };
    let killer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(killer);
      child.kill('SIGTERM');
      killer = setTimeout(() => {
        child.kill('SIGKILL');
        // Those that it started may hold its output open for ever.
        child.stdout.destroy();
        child.stderr.destroy();
      }, END_MS);
    };
    const timer = setTimeout(
      () => settle({ problem: `it has not answered for ${PATIENCE_MS / 1000} s` }),
      PATIENCE_MS,
    );
    const give = (): void => {
      settle({ problem: 'it was interrupted' });
      end();
    };
    signal.addEventListener('abort', give, { once: true });
    const onMessage = (message: JsonObject): void => {
      if (numberAt(message, 'id') !== id || message['method'] !== undefined) return;
      if (message['error'] !== undefined) return settle({ problem: refusalIn(message) });
      if (id === 1) send({ method: 'notifications/initialized' });
      else tools += listAt(objectAt(message, 'result'), 'tools').length;
      const cursor = textAt(message, 'result', 'nextCursor');
      if (id > 1 && (cursor === '' || id > MAX_PAGES)) return settle({ tools });
      id += 1;
      send({ id, method: 'tools/list', params: cursor === '' ? {} : { cursor } });
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // It may go on to write until it ends.
      if (answer !== undefined) return;
      // A line that goes on is not read again with each part of it.
      const lines = text.includes('\n') ? (rest + text).split('\n') : [rest + text];
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = objectOf(line);
        if (message !== undefined && answer === undefined) onMessage(message);
      }
      if (rest.length > MAX_LINE) settle({ problem: 'it answers with too much' });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_SAID);
    });
    child.stdin.on('error', () => undefined);
    const done = (why: string): void => {
      clearTimeout(timer);
      clearTimeout(killer);
      signal.removeEventListener('abort', give);
      resolve(answer ?? { problem: problemOf(stderr, why) });
    };
    child.once('error', (error) => done(error.message));
    child.once('close', () => done('it ended before it answered'));
    send({ id, method: 'initialize', params: HELLO });
  });
}

function objectOf(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Servers that print other things on stdout are not for us to judge.
    return undefined;
  }
}

/** The words of a server that answers with an error. */
function refusalIn(message: JsonObject): string {
  const words = redact(textAt(message, 'error', 'message').slice(0, MAX_SAID)).text;
  return clip(words, MAX_SHOWN) || 'it answers with an error';
}

/** The shim's error, else the server's last words: without remarks of ours, stacks and credentials. */
function problemOf(stderr: string, why: string): string {
  const lines = redact(stderr)
    .text.split('\n')
    // A line without its beginning could hold a credential without its beginning.
    .slice(stderr.length < MAX_SAID ? 0 : 1)
    .map((line) => clip(line.trim(), MAX_SHOWN));
  const own = /^error\[[a-z_]+\]: /;
  const error = lines.find((line) => own.test(line));
  if (error !== undefined) return error.replace(own, '');
  const said = lines.filter((line) => line !== '' && !NOISE.test(line)).slice(-MAX_LINES);
  return said.length === 0 ? why : `${why}. Its last words: ${said.join(' | ')}`;
}
