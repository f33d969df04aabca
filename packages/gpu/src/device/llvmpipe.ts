import type { DeviceTraits } from './context.ts';

/** Mesa's rasteriser, the one software adapter that kernels were measured on. */
export const isLlvmpipe = ({ software, description }: DeviceTraits): boolean =>
  software && /llvmpipe/i.test(description);

/** True where its vectors have 512 bits, as its description says; else they have 256 or less. */
export const hasWideLlvmpipe = (traits: DeviceTraits): boolean =>
  isLlvmpipe(traits) && traits.description.includes('-512-bits');
