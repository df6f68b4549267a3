/** The gateway's door for hooks over HTTP. */
import { connectGateway, homePaths, readCredential } from '@subluminal/ipc';

/** Opens it for a home whose gateway runs. Gives its port, and the token of a client. */
export async function openHookDoor(home) {
  const paths = homePaths(home.home);
  const operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: () => Date.now(),
  });
  const { port, enrol_token: token } = (await operator.request('http.listen', {})).data;
  operator.close();
  return { port, token };
}
