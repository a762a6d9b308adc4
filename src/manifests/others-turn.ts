/** In the middle of long work: whatever else is going on has its turn, as answers of a server that are on their way. */
export function othersTurn(): Promise<void> {
  return new Promise((go) => setImmediate(go));
}
