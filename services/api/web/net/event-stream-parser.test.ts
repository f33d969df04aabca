import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventStreamParser } from './event-stream-parser.ts';

const parse = (...pieces: string[]) => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

it('reads id, event and data of several lines, and leaves comments out', () => {
  expect(parse(': hello\nid: 7-0\nevent: change\ndata: {"a":\ndata: 1}\n\n')).toEqual([
    { id: '7-0', type: 'change', data: '{"a":\n1}' },
  ]);
});

it('keeps the id for events without one, and drops an event that has no data', () => {
  expect(parse('id: 1\ndata: a\n\nevent: empty\n\ndata: b\n\n')).toEqual([
    { id: '1', type: 'message', data: 'a' },
    { id: '1', type: 'message', data: 'b' },
  ]);
});

it('gives nothing for an event that is cut off', () => {
  expect(parse('data: whole\n\ndata: half\n')).toEqual([
    { id: null, type: 'message', data: 'whole' },
  ]);
});

it('gives the same events wherever the text is cut', () => {
  const text = ': still here\n\nid: 1-0\nevent: status\ndata: {"x":1}\n\nid: 1-1\ndata: y\n\n';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), text.length];
      const pieces = cuts.slice(1).map((end, i) => text.slice(cuts[i], end));
      expect(parse(...pieces)).toEqual(parse(text));
    }),
  );
});
