/** The files of undici that are loaded one by one; it declares types for the whole of it only. */
declare module 'undici/lib/core/errors.js' {
  import type { errors } from 'undici';
  const all: typeof errors;
  export default all;
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import type { Dispatcher } from 'undici';
  const one: typeof Dispatcher;
  export default one;
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';
  const request: Dispatcher['request'];
  export default request;
}
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';
  const one: typeof Client;
  export default one;
}
