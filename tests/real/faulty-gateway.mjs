// node faulty-gateway.mjs HOME HEADS_LOG MS: a gateway whose plane takes so long over each event and fails.
import { startGateway } from '@subluminal/daemon';

const [home = '', headsLog = '', ms = '0'] = process.argv.slice(2);

const gateway = await startGateway({
  home,
  headsLog,
  desktop: { platform: 'linux', folders: [], bus: '' },
  fold: () => {
    const until = performance.now() + Number(ms);
    while (performance.now() < until);
    throw new Error('a fault');
  },
});
process.once('SIGTERM', () => void gateway.stop('SIGTERM'));
process.stdout.write('it listens\n');
