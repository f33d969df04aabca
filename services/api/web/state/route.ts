import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** The proof that is looked at, by the address; null: the fleet. */
export const openProof = computed(
  () => /^#\/proofs\/(prf_[0-9a-f-]{36})$/.exec(hash.value)?.[1] ?? null,
);

export const proofAddress = (proofId: string): string => `#/proofs/${proofId}`;
export const FLEET_ADDRESS = '#/';
