import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { eventually, processesWith } from '../harness/processes.js';
import { configOf, QUIET } from './claude.js';
import type { Stage } from './stage.js';

/** Claude Code with a terminal, as a person has it. */
export interface Interactive {
  /** Everything that it has written to its terminal, with the escape sequences. */
  written(): string;
  /** Waits for words on the screen. */
  shows(words: RegExp): Promise<void>;
  /** Presses keys. */
  type(keys: string): void;
  /** Ends it: nothing of it writes any more. */
  close(): Promise<void>;
}

/** Starts it in a terminal of 110 columns, past every first question of its own. */
export function startInteractive(stage: Stage, program: string, args: readonly string[]): Interactive {
  const config = JSON.parse(readFileSync(configOf(stage), 'utf8'));
  const seen = { theme: 'dark', lastOnboardingVersion: '9.0.0' };
  const key = { customApiKeyResponses: { approved: [QUIET.ANTHROPIC_API_KEY.slice(-20)], rejected: [] } };
  writeFileSync(configOf(stage), JSON.stringify({ ...config, ...seen, ...key }));
  const quoted = [program, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const line = `stty rows 40 cols 110; exec ${quoted}`;
  const own = { ...QUIET, ANTHROPIC_BASE_URL: stage.model.url, IS_SANDBOX: '1', TERM: 'xterm-256color' };
  const child = stage.start(['script', '-qfec', line, '/dev/null'], own, 'pipe');
  let written = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written += text));
  return {
    written: () => written,
    async shows(words) {
      // Words are placed one by one: what lies between them is no blank.
      const screen = (): string => stripVTControlCharacters(written).replaceAll(/\s+/g, '');
      await eventually(`the screen shows ${words}`, () => words.test(screen()), 30_000).catch(
        (error: unknown) => {
          throw new Error(`it shows ${screen().slice(-1000)}`, { cause: error });
        },
      );
    },
    type: (keys) => void child.stdin?.write(keys),
    async close() {
      const left = () => processesWith(stage.sub.root).filter(({ command }) => command.includes(program));
      for (const { pid } of left()) process.kill(pid, 'SIGKILL');
      await eventually('the client is gone', () => left().length === 0, 10_000);
    },
  };
}
