import type { VerificationDocument } from '../../src/verification-document.ts';
import { type VerificationOutcome, verifyDocument } from './verification.ts';

export interface VerifyRequest {
  readonly document: VerificationDocument;
  readonly flipBit: boolean;
}
export type VerifyReply = { readonly outcome: VerificationOutcome } | { readonly error: string };

// Pairings would hold up the page for a while: they have a thread of their own.
addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  let reply: VerifyReply;
  try {
    reply = { outcome: verifyDocument(data.document, { flipBit: data.flipBit }) };
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(reply);
});
