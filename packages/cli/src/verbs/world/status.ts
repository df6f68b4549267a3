import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { span } from '../../output/time.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { openSessions } from '../../world/session/place.js';

/** `sub world status`: the worlds that wait for commands. */
export function defineStatus(group: Command, does: Does): void {
  does(subVerb(group, 'status', 'list the worlds that wait for commands'), {}, (call) => {
    const sessions = openSessions(call.home);
    if (call.output.json) {
      const worlds = sessions.map(({ place: _place, ...about }) => about);
      call.output.value({ worlds });
      return Promise.resolve(EXIT.done);
    }
    if (sessions.length === 0) call.output.line('no world waits for commands');
    for (const { world_id: id, run_id: runId, folder, read, write, since } of sessions) {
      const age = span(call.session.now() - since);
      call.output.line(`${escapeText(folder)}  up for ${age}`);
      call.output.line(`  world ${escapeText(id)}  run ${escapeText(runId)}`);
      for (const path of read) call.output.line(`  reads ${escapeText(path)}`);
      for (const path of write) call.output.line(`  writes ${escapeText(path)}`);
    }
    return Promise.resolve(EXIT.done);
  });
}
