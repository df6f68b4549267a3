import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

/** "Secrets" and "Connections and placeholders" of SECURITY.md. */
export const SECRETS: Claims = {
  'Secrets are kept from agents': inFile(
    'tests/secrets/leaks.test.ts',
    'the secret %s > stands in no output and no command line',
    'the secret %s > stands in no file that the product wrote, in no form',
  ),
  '`gateway.db`, which holds': inFile(
    'tests/gateway/secrets.test.ts',
    'the store > opens no value that was changed, or that stands under another name',
  ),
  'the environment of a running server': inFile(
    'tests/secrets/release.test.ts',
    'a server gets the secret that it is bound to > of the store, whatever variable of that name its client has or passes, and it is recorded by name',
  ),
  'the key of a run.': inFile(
    'tests/gateway/secrets.test.ts',
    'what a run says that its servers have > changes nothing of who did what, what was decided, by which rule, and what was charged',
    'what a run has recorded > loses nothing to a run that calls a secret what was released under no name, or to another run',
  ),
  'A deleted secret may': { limit: 'a disk, a snapshot or a keychain of the desktop keeps what it keeps' },
  'The bound program is started': inFile(
    'tests/secrets/release.test.ts',
    'no server is started > whose program is another one of the same name, in the PATH or folder of its client',
    'a server gets the secret that it is bound to > and nothing of its client that could send the secret elsewhere',
  ),
  'A variable such as `NODE_OPTIONS`': all(
    inFile(
      'packages/cli/src/clients/coverage/coverage.test.ts',
      'what only looks like a routed server > is told of where a variable has code loaded into the shim',
    ),
    inFile(
      'tests/attack/environment.test.ts',
      'a poisoned environment of the shim does not reach the gateway that it starts',
    ),
  ),
  'A value is taken out': all(
    inFile(
      'packages/mcp/src/hiding/value-mask.test.ts',
      'a message to the client > loses a value however JSON spells it, and wherever its bytes are cut',
      'a message to the client > loses a value in a text that is JSON itself, however that spells it, and wherever its bytes are cut',
      'a server whose secrets are all to be left as they are has nothing masked',
    ),
  ),
  'A secret of a remote server': inFile(
    'tests/http/secrets.test.ts',
    'a secret that is bound to a remote server > stands in no request under its name to another URL, which is refused, nor to its URL under another name',
    'a secret that is bound to a remote server > goes no further where the server redirects, whether to itself or to another',
    'a secret that is bound to a remote server > that goes to no TLS, and to another machine, is not sent, and the record does not say that it was',
  ),
  "A token in a client's own header": all(
    inFile(
      'tests/http/attacks.test.ts',
      'where it may lead > tells the server what the client says to it, and nothing that is ours; and records no header',
    ),
    inFile(
      'tests/secrets/environment.test.ts',
      'a server behind `sub shim` has, of the variables of its client, > those of a short list',
    ),
  ),
  'Stored and shown texts': all(
    inFile(
      'tests/secrets/planted.test.ts',
      'no secret of any kind stands in a file or an output after it was in a message that was %s',
      'no token stands in a file or an output that was %s',
    ),
    inFile('tests/gateway/retention.test.ts', 'previews > are never written where they may have no bytes'),
  ),
  '`args_hash` of a guessable': inFile(
    'packages/core-types/src/hash/hash.test.ts',
    'argsHash > is the same for every spelling: $name',
  ),

  'A world shares the kernel': all(
    inFile(
      'tests/worlds/servers.test.ts',
      'a world${absent} > of a server that is started by %s > serves its project as it would outside',
      'a world${absent} > of a server that is started by %s > that was taken over finds no secret of whoever started it',
    ),
    inFile(
      'packages/worlds/src/layout/layout.test.ts',
      'the files that a world sees > may be written in the project alone, unless more is named',
    ),
  ),
  'What a run connects to': all(
    inFile(
      'tests/worlds/attacks.test.ts',
      'a world${absent} > that is started by %s > holds against %s',
      'a world${absent} > that is started by %s > records %s with its destination',
    ),
    inFile(
      'tests/proxy/clients.test.ts',
      'programs that heed the variables of a proxy > undici gets what is allowed, and says that something is not',
    ),
    inFile(
      'packages/cli/src/run/confined.test.ts',
      'the line about what is not confined > says wherever the allowlist is enforced that other programs are not confined, and nothing elsewhere',
    ),
  ),
  "The proxy's default is": all(
    inFile(
      'tests/net/modes.test.ts',
      'what a mode lets through: `enforce` what is listed, `observe` all but metadata, no hosts and the gateway’s own doors',
    ),
    inFile(
      'packages/egress/src/resolve.test.ts',
      'resolveDestination > refuses %s, which resolves to %s (%s)',
    ),
    inFile(
      'tests/net/connect.test.ts',
      'a connection through the proxy > never leads to the gateway’s own doors, whatever the allowlist says',
    ),
  ),
  'In TLS through the proxy': all(
    inFile(
      'tests/proxy/tls-gate.test.ts',
      'the gate before a TLS client > lets the very bytes of a real ClientHello pass once the name in it is known',
      'the gate before a TLS client > judges a second ClientHello too, and passes not a byte of it where it is refused',
    ),
    inFile('tests/inject/attacks.test.ts', 'a request that is not what it seems > is refused where it %s'),
  ),
  "The proxy's token of a run": all(
    inFile(
      'packages/ipc/src/proxy/variables.test.ts',
      'the variables of the proxy > name it with the label and the token in every spelling, and this machine stays without it',
    ),
    inFile(
      'tests/proxy/run-tokens.test.ts',
      'the token of a run > opens nothing once its run has ended, however often it opened something before',
      'the token of a run > is not told by one of the same run with another secret, nor by that of another home',
    ),
    inFile(
      'tests/inject/attacks.test.ts',
      'a placeholder elsewhere > is of no use with the token of the run, or of another server, under the name of its server',
    ),
  ),
  'A placeholder keeps': inFile(
    'tests/inject/attacks.test.ts',
    'a placeholder elsewhere > stays what it is at a host that it is not bound to, whose TLS nobody ends',
    'a placeholder elsewhere > is of no use with the token of the run, or of another server, under the name of its server',
    'a placeholder elsewhere > is another one in another run and at another start, and those are worth nothing here',
    'an answer > has it in none of the ways in which texts are written',
  ),
  'On those connections': all(
    inFile(
      'packages/proxy/src/authority/certificate.test.ts',
      'the authority of a host > vouches for that host',
      'the authority of a host > vouches in nobody’s hands for %s',
      'the authority of a host > makes no other authority',
    ),
    inFile(
      'tests/inject/attacks.test.ts',
      'the record, and everything that is written > says beforehand what could be put in, and holds no secret',
    ),
  ),
};
