import { CuzkError } from '@cuzk/core/errors';
import type { CardMemory } from '@cuzk/service-kit/memory/card-memory';

/** What may be used of a device; null where nothing is known of it. */
export interface MemoryBudget {
  readonly bytes: number;
  /** Where the figure comes from, for people. */
  readonly source: string;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};
/** The form of GPU_MEMORY_LIMIT: bytes, with a unit or without, or a share of the card. Empty: no limit. */
export const MEMORY_LIMIT_PATTERN = '^(\\d+(\\.\\d+)?\\s*(%|[KMGTkmgt][iI][bB])?)?$';

/**
 * What this process may take: the free memory of the card, together with what the process has there already
 * (`heldBytes`), and no more than `limit` (GPU_MEMORY_LIMIT). Of several cards WebGPU does not say which one is in use:
 * the one with the most free memory counts. Throws CuzkError CONFIG_INVALID for a share of a card of unknown size.
 */
export function memoryBudget(
  limit: string,
  cards: readonly CardMemory[],
  heldBytes: number,
): MemoryBudget | null {
  const [card] = cards.toSorted((a, b) => b.freeBytes - a.freeBytes);
  const capBytes = limitBytes(limit, card);
  const availableBytes = card === undefined ? null : card.freeBytes + heldBytes;
  if (capBytes !== null && (availableBytes === null || capBytes <= availableBytes)) {
    return { bytes: capBytes, source: `GPU_MEMORY_LIMIT=${limit}` };
  }
  if (availableBytes === null) return null;
  return { bytes: availableBytes, source: 'free memory of the card' };
}

function limitBytes(limit: string, card: CardMemory | undefined): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(%|[a-z]*)$/i.exec(limit.trim());
  if (match === null) return null;
  const [, number = '', unit = ''] = match;
  if (unit !== '%') return Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
  if (card !== undefined) return Math.floor((Number(number) / 100) * card.totalBytes);
  throw new CuzkError('CONFIG_INVALID', 'the memory of this device is not known', {
    expected: 'GPU_MEMORY_LIMIT in bytes, such as 22GiB',
    found: limit,
    action: 'a share works where nvidia-smi or amdgpu tells the size of the card',
  });
}
