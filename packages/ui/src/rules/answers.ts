import {
  type JsonObject,
  listAt,
  Sha256Hex,
  SublError,
  textAt,
  textsAt,
  valueAt,
} from '@subluminal/core-types';
import type { RuleOffer, RuleOffers, RuleWritten } from '../protocol/rules.js';

const MOST_OFFERS = 16;
/** Signs of a difference that a page shows. */
const MOST_SHOWN = 200_000;

/** The answer of `sub hints promote --persist --dry-run --json`. */
export function offersIn(answer: JsonObject): RuleOffers {
  return {
    file: textAt(answer, 'file'),
    offers: listAt(answer, 'offers').slice(0, MOST_OFFERS).map(offerIn),
    lacks: textAt(answer, 'lacks') || null,
  };
}

/** A digest is passed on with all that it stands for, or not at all. */
function offerIn(offer: JsonObject): RuleOffer {
  const [diff, digest] = [textAt(offer, 'diff'), textAt(offer, 'digest')];
  const isWhole = diff.length <= MOST_SHOWN && Sha256Hex.safeParse(digest).success;
  return {
    as: textAt(offer, 'as'),
    about: textAt(offer, 'about'),
    diff: isWhole ? diff.split('\n') : [],
    notes: textsAt(offer, 'notes'),
    shown: isWhole ? digest : null,
  };
}

/** The answer of `sub hints promote --persist --json`. Throws `failed` if it says nothing of a rule. */
export function writtenIn(answer: JsonObject): RuleWritten {
  const [rule, hash] = [textAt(answer, 'rule', 'rule_id'), textAt(answer, 'policy_hash')];
  if (valueAt(answer, 'written') !== true || rule === '')
    throw new SublError('failed', '`sub` does not say that it wrote a rule', { help: 'look at the file' });
  return { file: textAt(answer, 'file'), rule, policy_hash: hash };
}
