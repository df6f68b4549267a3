/**
 * Signed actions a second through the whole pipeline, against the ledger's own group commit of the same entries.
 * An action here is a tool call: begin (start and decision, durable) and end.
 */
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { openHome } from '../home.mjs';
import { figure, median, percentile, sequential, table, throughput } from '../measure.mjs';
import { appendRate } from './ledger.mjs';

export async function signedActions({ short }) {
  const [rounds, count] = short ? [1, 400] : [5, 8000];
  const home = openHome('fsync');
  try {
    home.up();
    const run = await openRun(home.home);
    const rows = { alone: [], p50: [], together: [], ledger: [] };
    for (let round = 0; round < rounds; round += 1) {
      const latency = await sequential(() => run.action(), Math.ceil(count / 8));
      rows.p50.push(percentile(latency, 0.5));
      rows.alone.push(1e6 / median(latency));
      rows.together.push(await throughput(() => run.action(), count, 32));
      rows.ledger.push(await appendRate({ actions: count, inFlight: 32 }));
    }
    await run.close();
    table(
      ['signed actions', 'value'],
      [
        ['one at a time, p50 µs', figure(median(rows.p50))],
        ['32 in flight, actions/s', figure(median(rows.together))],
        ['the ledger alone, 32 in flight, actions/s', figure(median(rows.ledger))],
        ['pipeline / ledger', figure(median(rows.together.map((rate, n) => rate / rows.ledger[n])))],
      ],
    );
  } finally {
    home.remove();
  }
}

async function openRun(home) {
  const paths = homePaths(home);
  const clock = () => Date.now();
  const connect = (credential) => connectGateway({ socketPath: paths.socket, credential, clock });
  const operator = await connect(readCredential(paths.operatorKey));
  const opened = await must(
    operator.request('run.begin', {
      agent_id: 'bench',
      client: 'custom',
      env: 'dev',
      holder: processIdentity(process.pid),
    }),
  );
  operator.close();
  const run = await connect(opened.data.credential);
  const shim = { shim_id: 'bench-shim' };
  await must(
    run.request('upstream.begin', {
      ...shim,
      proc_id: 'bench-proc',
      server_name: 'echo',
      argv_hash: '0'.repeat(64),
      token: 'bench-token-0123456789',
      shim: processIdentity(process.pid),
    }),
  );
  let calls = 0;
  return {
    async action() {
      const call_id = `bench-call-${String((calls += 1)).padStart(9, '0')}`;
      const call = { server_name: 'echo', tool_name: 'echo', transport: 'mcp_stdio', bytes_in: 120 };
      await must(
        run.request('tool.call.begin', {
          ...shim,
          call_id,
          ...call,
          args: { n: calls, text: 'what an agent sends' },
        }),
      );
      const end = {
        status: 'OK',
        latency_ms: 1,
        bytes_out: 120,
        preview: { truncated: false, result_preview: 'done' },
      };
      await must(run.request('tool.call.end', { call_id, ...end }));
    },
    async close() {
      await must(
        run.request('upstream.end', { ...shim, token: 'bench-token-0123456789', exit_code: 0, signal: null }),
      );
      run.close();
    },
  };
}

async function must(pending) {
  const answer = await pending;
  if (answer.status !== 'success')
    throw new Error(`${answer.status}: ${answer.error?.code} ${answer.error?.message}`);
  return answer;
}
