import { isSublError, SublError } from '@subluminal/core-types';
import type { LedgerProver } from '@subluminal/ledger';
import type { Command } from 'commander';
import { signFreshHead } from '../../audit/fresh-head.js';
import { readOutsideText, readReceipt } from '../../audit/outside-files.js';
import { proverOf } from '../../audit/prover.js';
import { EXIT } from '../../program/exit/codes.js';
import { assertDeliverable, deliver, FORCE } from '../../output/result-file.js';
import type { Call } from '../../program/call.js';
import { string, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  since: string('<file>', 'an older checkpoint of this ledger'),
  out: string('<file>', 'write the proof to a file'),
  force: FORCE,
  ledger: string('<path>', 'a copy of a ledger (default: the ledger of the home)'),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub audit prove`: a file that proves an entry, or the growth of the ledger, to whoever has the log's key.
 */
export function defineProve(group: Command, does: Does): void {
  does(
    subVerb(group, 'prove', 'prove one entry, or that the ledger continues an older checkpoint').argument(
      '[entry]',
      'its number, or its audit reference `<seq>.<leaf>`',
    ),
    FLAGS,
    async (call) => {
      const ask = questionOf(call);
      assertDeliverable(call);
      const path = call.flags.ledger;
      const prover = proverOf(call, path);
      try {
        const proof = await answer(call, prover, ask, path === undefined);
        const file = deliver(call, proof.text);
        const vkey = prover.logKeyText;
        if (call.output.json) call.output.value({ ...proof.facts, proof: proof.text, vkey, file });
        else call.output.note(`${proof.says}; verifier key: ${vkey}`);
        return EXIT.done;
      } finally {
        prover.close();
      }
    },
  );
}

interface Proof {
  readonly text: string;
  /** In one line, for people. */
  readonly says: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

type Question = (prover: LedgerProver) => Proof;

function questionOf(call: Given): Question {
  const [entry] = call.args;
  const since = call.flags.since;
  if ((entry === undefined) === (since === undefined)) {
    throw new SublError('usage', 'name either an entry, or an older checkpoint with `--since`', {
      help: 'see `sub help audit prove`',
    });
  }
  return since === undefined ? inclusionOf(entry ?? '') : growthSince(since);
}

function inclusionOf(entry: string): Question {
  const receipt = readReceipt(entry);
  const seq = receipt?.seq ?? (/^[1-9][0-9]{0,14}$/.test(entry) ? Number(entry) : undefined);
  if (seq === undefined)
    throw new SublError('usage', `\`${entry}\` is neither an entry nor an audit reference`, {
      help: 'give its number, or `<seq>.<leaf>` as answers and `sub show` print it',
    });
  return (prover) => {
    if (receipt !== undefined) prover.assertLeaf(receipt);
    const { size } = prover.head();
    return { text: prover.entry(seq), says: `entry ${seq} of ${size}`, facts: { seq, size } };
  };
}

function growthSince(path: string): Question {
  const help = 'name a file that `sub audit checkpoint --out FILE` wrote';
  const older = readOutsideText(path, { option: '--since', help });
  return (prover) => {
    const text = prover.growth(older);
    const { size } = prover.head();
    const from = Number(/^old ([0-9]+)\n/.exec(text)?.[1]);
    return { text, says: `from ${from} to ${size} entries`, facts: { from, size } };
  };
}

/** An entry behind the signed head is proved once the gateway has signed a newer one. */
async function answer(call: Call, prover: LedgerProver, ask: Question, isHome: boolean): Promise<Proof> {
  try {
    return ask(prover);
  } catch (error) {
    prover.release();
    if (!isHome || !isSublError(error, 'not_found') || !(await signFreshHead(call))) throw error;
    return ask(prover);
  }
}
