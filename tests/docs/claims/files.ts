import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

const HANDSHAKE = 'tests/gateway/handshake.test.ts';
const start = (name: string, ...names: string[]) => inFile('tests/gateway/start.test.ts', name, ...names);

/** "Trust, file by file" of SECURITY.md. */
export const FILES: Claims = {
  'All files are under': all(
    start(
      'a start > makes what is missing, all of it private, and writes both keys before it listens',
      'a start > refuses a home that others can write, and files that others can read',
    ),
    inFile('tests/gateway/policy.test.ts', 'the policy file > %s is not loaded'),
  ),
  '`gateway.db` |': all(
    inFile(
      'packages/gateway/src/store/schema.test.ts',
      'the schema of gateway.db > is version 5 in a new file, with the tables of core and wings',
    ),
    inFile(
      'tests/gateway/secrets.test.ts',
      'the store > opens no value that was changed, or that stands under another name',
    ),
  ),
  '`keys/operator`': inFile(
    'packages/core-types/src/schema/testimony.test.ts',
    'SECURITY.md > says of each action that is open to others than the operator whose word its entries are, and who may ask for it',
  ),
  '`keys/enrol`': inFile(HANDSHAKE, 'keys > of enrolment may open a run and nothing else'),
  '`keys/log`': all(
    start('the ledger of a home > does not go on without its signing key'),
    inFile(
      'packages/ledger/src/head/note.test.ts',
      'a signed checkpoint > does not open under another key or for another ledger',
    ),
  ),
  '`keys/seal`': all(
    inFile(
      'packages/ledger/src/seal/hand-over.test.ts',
      'a successor that is made before its seal is due > waits beside the key, which verifies, and is the one that the seal names',
      'a hand-over of the seal key that a crash cut off > leaves the old key’s bytes nowhere in the folder of the keys',
    ),
    inFile(
      'packages/ledger/src/verify/seals.test.ts',
      'a seal that is forged > is none where it follows in every way: then nobody but the head and the keystore tell',
    ),
  ),
  '`imports/*`': inFile(
    'packages/cli/src/clients/file/again.test.ts',
    'what is recorded > is the operator’s alone',
    'what is recorded > a copy that is not what it was is not put in the place of a file',
  ),
  '`panicked`': inFile(
    'tests/gateway/panic.test.ts',
    'panic > survives a restart, and also one that finds no mark, or nothing but the mark',
  ),
  '`sub`': inFile(
    'packages/cli/src/home/launcher.test.ts',
    'the launcher of a home > starts `sub` with every word as it is given, and a shim in little memory',
    'the launcher of a home > is written once for a `sub`, for its owner alone',
  ),
  '`setting-aside`': inFile(
    'packages/cli/src/home/moves.test.ts',
    'setting a record aside > takes what shims did without a gateway along, and knows where the memory stands',
    'a kill at any step > loses nothing of `%s`, no gateway starts over half of it, and `%s` goes on',
  ),
  '`run/tickets/*`': inFile(
    'packages/ipc/src/credential/ticket.test.ts',
    'a ticket > is read as it was written, and is private',
  ),
  '`run/trust/*`': inFile(
    'tests/inject/life.test.ts',
    'what a server trusts stays as long as its run, and is removed when a gateway starts without any',
  ),
  '`run/page.html`': inFile(
    'packages/cli/src/ui/open-browser.test.ts',
    'a browser is led to the page by a file that only its user reads, and not by an argument',
  ),
  '`run/away/*`': inFile(
    'packages/shim/src/away/engine.test.ts',
    'what was done > stands in a private file before the call is made, and in memory in the same words',
    'what was done > shows no secret of the arguments',
  ),
  '`ledger.db`': inFile(
    'tests/secrets/planted.test.ts',
    'no secret of any kind stands in a file or an output after it was in a message that was %s',
  ),
  '`policy.yaml`, `config.toml`': all(
    inFile(
      'tests/gateway/policy.test.ts',
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
    ),
    inFile(
      'tests/gateway/policy-accept.test.ts',
      'a policy file that keeps being refused > costs the ledger a bounded number of entries',
      'a gateway whose policies the operator accepts > loads a changed file when it is asked to, and not before, across restarts too',
    ),
    inFile(
      'tests/gateway/settings.test.ts',
      'a saved config.toml takes effect in the gateway that runs, and is recorded with what it changed',
      'what a restart changes is recorded by it',
    ),
  ),
  'a key of `sub policy keygen`': inFile(
    'tests/gateway/policy-accept.test.ts',
    'a gateway that takes signed policies only > loads one that a listed signer has signed, and records who and with which serial',
  ),
};
