/** The floor: what a function costs that does nothing. */
export async function handler(): Promise<void> {}
