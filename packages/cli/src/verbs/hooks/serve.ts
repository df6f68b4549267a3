import { SublError } from '@subluminal/core-types';
import { codex, ControlServer, Lines, MAX_LINE } from '@subluminal/hooks';
import type { Command } from 'commander';
import { readSettings } from '../../home/settings.js';
import { openAgentHooks } from '../../hooks/agent-session.js';
import { serverMark } from '../../hooks/codex/server-mark.js';
import { strings } from '../../program/flags.js';
import { CONTROL_TOOL } from '../../hooks/codex/codex-trust.js';
import { escapeText } from '../../output/escape.js';
import { whyOf } from '../../output/system-error.js';
import { VERSION } from '../../program/version.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLUSH_MS = 300;
const FLAGS = {
  blockWhenAway: strings('<tool>', 'a tool that is not called while no gateway answers; may be repeated'),
};

/** `sub hooks serve codex`: the MCP server that the hooks of Codex call. stdout belongs to the protocol. */
export function defineServe(group: Command, does: Does): void {
  does(
    subVerb(group, 'serve', 'what Codex runs to have its hooks answered', '~/.subluminal').argument(
      '<client>',
      'codex',
    ),
    FLAGS,
    async (call) => {
      if (call.operand(0, 'client') !== 'codex')
        throw new SublError('usage', 'only the hooks of Codex are answered by a server', {
          help: 'those of Claude Code are answered by the gateway itself',
        });
      const home = call.homeIgnoringEnvironment;
      const { autostart } = readSettings(home);
      const note = (line: string): void => call.output.note(`sub hooks: ${escapeText(line)}`);
      const mark = serverMark(home.hooksDir, process.ppid, process.pid);
      const marking = (put: () => void): void => {
        try {
          put();
        } catch (error) {
          // Its guard refuses tools then; all others are still asked for.
          note(`the mark of this server cannot be written: ${whyOf(error)}`);
        }
      };
      marking(mark.starting);
      const agent = await openAgentHooks({
        home,
        gatewayEntry: autostart ? call.session.gatewayProgram : undefined,
        env: call.session.environment.all,
        dialect: codex,
        blockedWhenAway: call.flags.blockWhenAway,
        log: note,
      });
      const server = new ControlServer({
        hooks: agent.hooks,
        version: VERSION,
        tool: CONTROL_TOOL,
        send: (message) => process.stdout.write(`${message}\n`),
        onReady: () => marking(mark.set),
        onMisuse: () => note('a model called the tool that answers hooks; it was refused'),
      });
      const open = new Set<Promise<void>>();
      const lines = new Lines(MAX_LINE, (line) => {
        const taken = server.take(line);
        open.add(taken);
        void taken.finally(() => open.delete(taken));
      });
      process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
      await new Promise((resolve) => {
        process.stdin.once('close', resolve);
        process.stdin.once('end', resolve);
        process.stdin.once('error', resolve);
        process.once('SIGTERM', resolve);
        process.once('SIGINT', resolve);
      });
      mark.clear();
      await Promise.all(open);
      agent.hooks.over();
      await agent.core.flush(FLUSH_MS);
      agent.session.close();
      // A client that keeps its end of our input open must not keep this process.
      return process.exit(0);
    },
  );
}
