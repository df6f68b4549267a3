import type { Command } from 'commander';
import { LedgerProver } from '@subluminal/ledger';
import { signFreshHead } from '../../audit/fresh-head.js';
import { proverOf } from '../../audit/prover.js';
import { EXIT } from '../../program/exit/codes.js';
import { assertDeliverable, deliver, FORCE } from '../../output/result-file.js';
import { string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  out: string('<file>', 'write it to a file'),
  force: FORCE,
  ledger: string('<path>', 'a copy of a ledger (default: the ledger of the home)'),
};

/** `sub audit checkpoint`: the signed head, as a note that any C2SP tool reads. */
export function defineCheckpoint(group: Command, does: Does): void {
  does(
    subVerb(group, 'checkpoint', 'print the signed head of the ledger, to be kept outside'),
    FLAGS,
    async (call) => {
      assertDeliverable(call);
      const path = call.flags.ledger;
      const fresh = path === undefined && (await signFreshHead(call));
      const prover: LedgerProver = proverOf(call, path);
      try {
        const { note, origin, size, root } = prover.head();
        const vkey = prover.logKeyText;
        const file = deliver(call, note);
        if (call.output.json) call.output.value({ note, origin, size, root, vkey, fresh, file });
        else call.output.note(`${size} entries; verifier key: ${vkey}`);
        return EXIT.done;
      } finally {
        prover.close();
      }
    },
  );
}
