import type { CircuitCounts } from '../r1cs/counting-collector.ts';

/** What is known of a PoRep circuit: its sizes and its R1CS hash (spec §5.3, §9.4). */
export interface PinnedCircuit extends CircuitCounts {
  readonly shapeDigest: string;
}

/**
 * The circuits of all sector sizes, keyed by sector bytes, as the Rust stack synthesises them. A compiled
 * shape is accepted only with these figures.
 */
export const PINNED_CIRCUITS: ReadonlyMap<number, PinnedCircuit> = new Map(
  (
    [
      // 2KiB
      [
        2048,
        40,
        2_685_673,
        2_687_921,
        '2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42',
      ],
      // 4KiB
      [
        4096,
        40,
        2_786_423,
        2_788_733,
        'd5a90de3471d6cb4e52b8c98d4b87433e1d9f5dbf44a0afea62d4a4287097029',
      ],
      // 16KiB
      [
        16384,
        40,
        2_974_867,
        2_977_173,
        '6825ed63d62c7afbb8b1fb2d25691c057e124fd150b78ffca3eeb6f3b12eda6a',
      ],
      // 32KiB
      [
        32768,
        40,
        3_075_617,
        3_077_985,
        '98076e135128c2457e7463f283a92ccc597eaddac7dc439a5532d1f4fcb4009b',
      ],
      // 8MiB
      [
        8388608,
        40,
        3_842_449,
        3_844_929,
        'b1fe5a4629fb8fc6684d6c90d6f8d6d32e5bccf6bc9439e4e8a9758e579328db',
      ],
      // 16MiB
      [
        16777216,
        40,
        3_943_199,
        3_945_741,
        '3f9771852d0d19d49761c876199520f0204ff8ff07281ef38247ad1e63fba34f',
      ],
      // 512MiB
      [
        536870912,
        40,
        4_420_837,
        4_423_433,
        'c7ade8c93707968e967cce4507669258eab20ff010e6dc1827d55544ee671cbb',
      ],
      // 1GiB
      [
        1073741824,
        40,
        4_521_587,
        4_524_245,
        'adf871d80ddc70fe9f406e12394fb8559a13fd95ff78eb351516c02929016588',
      ],
      // 32GiB
      [
        34359738368,
        328,
        130_169_893,
        130_278_541,
        'a790207ea0435359e7d5f286563586e3f9a3a286c97af2440f65a4a18063d9cb',
      ],
      // 64GiB
      [
        68719476736,
        328,
        131_076_643,
        131_185_849,
        '7686117961498d7849ede7429233254b20e3b149011eca8674ca8e9ab0655af6',
      ],
    ] as const
  ).map(([sectorBytes, inputs, aux, constraints, shapeDigest]) => [
    sectorBytes,
    { inputs, aux, constraints, shapeDigest },
  ]),
);
