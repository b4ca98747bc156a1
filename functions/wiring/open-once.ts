/**
 * Opens on the first call and keeps the result for the environment's life; a failure is forgotten,
 * so that a secret that was mended meanwhile needs no cold start.
 */
export function openOnce<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opening: Promise<Opened> | undefined;
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
