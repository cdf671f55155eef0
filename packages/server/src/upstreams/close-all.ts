/** Closes what an upstream has open. */
export async function closeAll(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(parts.map((part) => part.close()))
}
