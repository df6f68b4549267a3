// A program that heeds no variable: connects by itself to this machine. Argument: the port.
import { connect } from 'node:net';

const socket = connect(Number(process.argv[2]), '127.0.0.1', () => socket.destroy());
