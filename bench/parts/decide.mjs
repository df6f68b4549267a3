export const decide = async () => {};
