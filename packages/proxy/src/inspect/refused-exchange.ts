import { Denial } from '../denial.js';

/** What a request or its answer is refused for, with the status that says it. */
export class RefusedExchange extends Denial {
  readonly status: number;

  constructor(status: number, ...denial: ConstructorParameters<typeof Denial>) {
    super(...denial);
    this.status = status;
  }
}
