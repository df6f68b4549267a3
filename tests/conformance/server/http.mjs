import { listen } from './front.mjs';
import { createServer } from './server.mjs';

listen((transport) => createServer().connect(transport));
