// relay.mjs TARGET HEADERS: passes HTTP on to TARGET with further headers (JSON), since the suite can be told
// no headers. `Host` and `Origin` become those of the target where they name the relay, and stay what they
// are where they name something else.
import { createServer, request } from 'node:http';

const [target = '', headers = '{}'] = process.argv.slice(2);
const to = new URL(target);
const added = JSON.parse(headers);

const relay = createServer((asked, answer) => {
  const address = relay.address();
  const own = `:${typeof address === 'object' ? address?.port : ''}`;
  /** @param {string | undefined} value */
  const named = (value) =>
    value?.endsWith(own) === true ? value.slice(0, -own.length) + `:${to.port}` : value;
  const { host, origin, ...rest } = asked.headers;
  const passed = {
    ...rest,
    host: named(host),
    ...(origin === undefined ? {} : { origin: named(origin) }),
    ...added,
  };
  const onward = request(to, { method: asked.method, headers: passed, agent: false }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
    got.on('error', () => answer.destroy());
  });
  onward.on('error', () => answer.destroy());
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
});
relay.listen(0, '127.0.0.1', () => {
  const address = relay.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
