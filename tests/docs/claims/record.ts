import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

/** "The record" and "Shared machines and limits" of SECURITY.md. */
export const RECORD: Claims = {
  '`heads.log` shows': all(
    inFile(
      'packages/ledger/src/store/open-store.test.ts',
      'opening a ledger for writing > is refused for an older copy with the right key',
      'opening a ledger for writing > keeps the heads log private, with a line at the first commit, at each run’s end and at shutdown',
      'opening a ledger for writing > writes a line to the heads log every 1,024 entries',
    ),
    inFile(
      'packages/ledger/src/verify/forge.test.ts',
      'entries that nobody signed > are not taken over by a writer beyond what a crash leaves',
    ),
  ),
  '`heads.log` is a file': all(
    inFile(
      'tests/cli/audit.test.ts',
      'sub audit verify > exits 4 for another pin',
      'sub audit verify > exits 0 for a copy with a pin and its heads.log',
    ),
    inFile(
      'tests/cli/proofs.test.ts',
      'sub audit verify > holds receipts and checkpoints against the ledger',
    ),
  ),
  '`config.toml` and `state-home`': all(
    inFile(
      'tests/cli/stopping.test.ts',
      'a home remembers where the one who made it keeps state, for gateways that know nothing of that environment',
    ),
    inFile('tests/cli/audit.test.ts', 'sub audit verify > exits 0 for a copy with a pin and its heads.log'),
    inFile(
      'packages/ledger/src/verify/seals.test.ts',
      'a head that the log key alone signed > is found: a stolen log key does not reach behind the newest seal',
    ),
  ),
  'An anchor is worth': all(
    inFile(
      'tests/cli/anchors.test.ts',
      'an anchor that contradicts the ledger > makes it tampered, class anchor, and nothing takes that back: an anchor that was edited',
    ),
    inFile(
      'tests/cli/witness.test.ts',
      'a home that was copied > gets no cosignature once the other copy went on: a split view exits 4',
    ),
  ),
  '`sub witness` on an address': inFile(
    'packages/witness/src/witness.test.ts',
    'over HTTP > answers as C2SP tlog-witness has it',
    'over HTTP > takes no more connections than it may',
  ),
  'Previews go after': all(
    inFile(
      'tests/gateway/retention.test.ts',
      'previews > are kept for thirty days unless told otherwise, then gone from the disk, and `sub show` says so',
    ),
    inFile(
      'packages/ledger/src/expiry/expiry.test.ts',
      'previews that expire > stay where the clock goes back behind all of them',
      'previews that expire > of a time that has not come yet go with a later one that is old, and not before',
    ),
  ),
  'Closed files of the ledger': all(
    inFile(
      'packages/ledger/src/verify/segments.test.ts',
      'a ledger of several files > is at best unproven where older files are not there, and the rest is verified from its base on',
    ),
    inFile(
      'packages/ledger/src/expiry/files.test.ts',
      'previews in closed files > stay where the file before them is not there: nobody knows what it keeps',
      'previews beside a closed file that cannot be read > expire before it, and behind it once it is back: an entry says how many of them there were',
    ),
    inFile(
      'tests/cli/files.test.ts',
      'a backup holds all files, and one that is missing is named everywhere',
    ),
  ),
  'A restore is declared': inFile(
    'packages/ledger/src/restore/restore.test.ts',
    'a restored ledger > says so for ever, goes on with a fresh key, and verifies with what was given up in a note',
    'a rollback that nobody declared > is not made good by an entry alone: whoever holds the log key, and not heads.log, declares nothing',
  ),
  'A run that asks as fast': all(
    inFile(
      'packages/gateway/src/pace/share.test.ts',
      'the pace of runs > gives a run that takes more than its share 150 frames a second while a calm one is about',
      'the pace of runs > is the same for several that ask for much beside a calm one',
    ),
    inFile(
      'tests/gateway/run-pace.test.ts',
      'a run that asks without end waits beside a calm one, and is answered everything in the end',
    ),
    inFile(
      'tests/attack/flood.test.ts',
      'connections that say nothing, or half of a handshake, keep nobody out',
    ),
  ),
  'A frame that is written as our clients write it': all(
    inFile(
      'packages/core-types/src/json/parts.test.ts',
      'the parts of a frame > are its commas, its opening brackets and eleven for each member, outside of strings',
      'the parts of a frame > are at most 851968 of a frame, sixteen characters counted as one, and 196608 however long it is',
    ),
    inFile(
      'tests/gateway/peers.test.ts',
      'peers that have shown a key > get an error for a frame of more values than a frame may hold, and lose their connection',
    ),
    inFile(
      'tests/attack/flood.test.ts',
      'frames with as much in them as a frame may have keep nobody waiting',
      'such frames, written as no client writes them, keep nobody waiting, and the frames behind them keep their place',
    ),
  ),
  '`ledger.max_mb` is one budget': inFile(
    'tests/gateway/budget.test.ts',
    'a ledger with a budget > warns, gives up previews, refuses what begins, takes what ends, and recovers by itself',
    'a ledger with a budget > lets the operator narrow and stop however full it is, and widens nothing',
  ),
};
