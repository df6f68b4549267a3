export const ledger = async () => {};
export const appendRate = async () => NaN;
