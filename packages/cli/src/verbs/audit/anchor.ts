import {
  objectAt,
  SublError,
  textAt,
  type JsonObject,
  type JsonValue,
  type VerifierKey,
} from '@subluminal/core-types';
import { openLogNote } from '@subluminal/ledger';
import type { Command } from 'commander';
import { anchorByCommand } from '../../audit/anchor/command.js';
import { anchorInFile } from '../../audit/anchor/file.js';
import { anchorInGit } from '../../audit/anchor/git.js';
import type { Fresh, Placed } from '../../audit/anchor/place.js';
import { logKeyOf } from '../../audit/outside.js';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { escapeText } from '../../output/escape.js';
import { assertDeliverable, deliver, FORCE } from '../../output/result-file.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const PLACES = ['file', 'git', 'cmd', 'witness'] as const;

const FLAGS = {
  file: string('<path>', 'append it to a file'),
  git: string('<repository>', 'commit it to a branch of its own; nothing is pushed'),
  cmd: flag('give it to a command; exit status 0 means that it is kept'),
  witness: string('<url>', 'have a C2SP witness cosign it'),
  witnessKey: string('<vkey>', 'the verifier key of the witness'),
  out: string('<file>', 'with --witness: write the cosigned checkpoint to a file'),
  force: FORCE,
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub audit anchor`: puts the signed head where this machine's user, or an attacker in it, cannot take it
 * back.
 */
export function defineAnchor(group: Command, does: Does): void {
  does(
    subVerb(group, 'anchor', 'put the signed head somewhere outside, and record where')
      .usage(
        '[options] (--file <path> | --git <repository> | --witness <url> --witness-key <vkey> | --cmd -- <command...>)',
      )
      .argument('[command...]', 'with --cmd: what gets the head on its standard input')
      .passThroughOptions(),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const place = placeOf(call);
      if (call.flags.out !== undefined && place !== 'witness')
        throw new SublError('usage', '`--out` goes with `--witness` only', {
          help: 'leave it out: the other places keep the checkpoint themselves',
        });
      if (place === 'witness') assertWitnessUrl(call.flags.witness ?? '');
      assertDeliverable(call);
      await ensureGateway(call, 'automatic');
      const data = place === 'witness' ? await cosign(call) : await put(call, place);
      const file = call.flags.out === undefined ? null : deliver(call, textAt(data, 'note'));
      if (call.output.json) call.output.value({ ...objectAt(data), file });
      else
        call.output.line(
          `anchored ${textAt(data, 'size')} entries: ${place} ${escapeText(textAt(data, 'target'))}`,
        );
      return EXIT.done;
    },
  );
}

function placeOf(call: Given): (typeof PLACES)[number] {
  const given = PLACES.filter((name) => (call.flags[name] ?? false) !== false);
  const [place] = given;
  const isCommand = place === 'cmd';
  const hasKey = call.flags.witnessKey !== undefined;
  if (
    place !== undefined &&
    given.length === 1 &&
    isCommand === call.args.length > 0 &&
    hasKey === (place === 'witness')
  )
    return place;
  throw new SublError(
    'usage',
    'name one place: `--file`, `--git`, `--witness` with `--witness-key`, or `--cmd -- COMMAND`',
    {
      help: 'see `sub help audit anchor`',
    },
  );
}

function assertWitnessUrl(text: string): void {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  throw new SublError('usage', `\`--witness\`: \`${text}\` is not a URL that the gateway can dial`, {
    help: 'name the address of the witness, such as `https://witness.example`',
  });
}

function cosign(call: Given): Promise<JsonValue> {
  const payload = { url: call.flags.witness ?? '', witness: call.flags.witnessKey ?? '' };
  return askOperator(call.home, call.session.now, 'audit.anchor', payload);
}

async function put(call: Given, place: 'file' | 'git' | 'cmd'): Promise<JsonObject> {
  const log = logKeyOf(call.home.ledgerDb);
  if (log === undefined) throw new SublError('ledger_missing', 'the ledger of the home cannot be read');
  const fresh = freshOf(await askOperator(call.home, call.session.now, 'audit.checkpoint'), log);
  const placed = await putInto(call, place, fresh, log);
  const { size, root } = fresh;
  return objectAt(
    await askOperator(call.home, call.session.now, 'audit.anchored', { ...placed, size, root }),
  );
}

function putInto(
  call: Given,
  place: 'file' | 'git' | 'cmd',
  fresh: Fresh,
  log: VerifierKey,
): Placed | Promise<Placed> {
  switch (place) {
    case 'file':
      return anchorInFile(call.flags.file ?? '', fresh, log);
    case 'git':
      return anchorInGit(call.flags.git ?? '', fresh, log);
    case 'cmd':
      return anchorByCommand(call.args, fresh, call.session.cwd, call.session.environment.all);
  }
}

function freshOf(data: JsonValue, log: VerifierKey): Fresh {
  const note = textAt(data, 'note');
  const checkpoint = openLogNote(note, log);
  if (typeof checkpoint !== 'string' && checkpoint.size > 0) return { ...checkpoint, note };
  const why = typeof checkpoint === 'string' ? checkpoint : 'it is empty';
  throw new SublError('failed', `the gateway gave no checkpoint of this ledger: ${why}`);
}
