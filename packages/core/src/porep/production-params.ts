/**
 * What Filecoin publishes about its production parameters (spec §4.6): `digest` is the first 16 bytes of the
 * unkeyed BLAKE2b-512 of the whole file, lowercase hex; `cid` is where IPFS has it.
 */
interface PublishedFile {
  readonly digest: string;
  readonly cid: string;
}

export interface ProductionParams {
  readonly sectorName: string;
  readonly params: PublishedFile;
  readonly vk: PublishedFile;
}

/** Keyed by circuit id. Sizes without an entry have no production parameters. */
export const PRODUCTION_PARAMS: Readonly<Record<string, ProductionParams>> = {
  '032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f': {
    sectorName: '2KiB',
    params: {
      digest: '434fb1338ecfaf0f59256f30dde4968f',
      cid: 'QmWceMgnWYLopMuM4AoGMvGEau7tNe5UK83XFjH5V9B17h',
    },
    vk: {
      digest: 'dc1ade9929ade1708238f155343044ac',
      cid: 'QmamahpFCstMUqHi2qGtVoDnRrsXhid86qsfvoyCTKJqHr',
    },
  },
  ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb: {
    sectorName: '8MiB',
    params: {
      digest: '09e612e4eeb7a0eb95679a88404f960c',
      cid: 'QmPXAPPuQtuQz7Zz3MHMAMEtsYwqM1o9H1csPLeiMUQwZH',
    },
    vk: {
      digest: 'b687beb9adbd9dabe265a7e3620813e4',
      cid: 'QmYCuipFyvVW1GojdMrjK1JnMobXtT4zRCZs1CGxjizs99',
    },
  },
  '6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472': {
    sectorName: '512MiB',
    params: {
      digest: '6c77597eb91ab936c1cef4cf19eba1b3',
      cid: 'QmYBpTt7LWNAWr1JXThV5VxX7wsQFLd1PHrGYVbrU1EZjC',
    },
    vk: {
      digest: '065179da19fbe515507267677f02823e',
      cid: 'QmWionkqH2B6TXivzBSQeSyBxojaiAFbzhjtwYRrfwd8nH',
    },
  },
  '82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820': {
    sectorName: '32GiB',
    params: {
      digest: '6a388072a518cf46ebd661f5cc46900a',
      cid: 'QmengpM684XLQfG8754ToonszgEg2bQeAGUan5uXTHUQzJ',
    },
    vk: {
      digest: '0c7b4aac1c40fdb7eb82bc355b41addf',
      cid: 'Qmf93EMrADXAK6CyiSfE8xx45fkMfR3uzKEPCvZC1n2kzb',
    },
  },
  '96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2': {
    sectorName: '64GiB',
    params: {
      digest: '1801f8a6e1b00bceb00cc27314bb5ce3',
      cid: 'QmS7ye6Ri2MfFzCkcUJ7FQ6zxDKuJ6J6B8k5PN7wzSR9sX',
    },
    vk: {
      digest: 'a89884252c04c298d0b3c81bfd884164',
      cid: 'QmehSmC6BhrgRZakPDta2ewoH9nosNzdjCqQRXsNFNUkLN',
    },
  },
};
