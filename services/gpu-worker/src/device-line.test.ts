import { expect, it } from 'vitest';
import { DeviceLine } from './device-line.ts';

function line() {
  const clock = { ms: 0 };
  return { clock, line: new DeviceLine(() => clock.ms) };
}

/** A line that knows that a unit takes the device so long. */
function measured(ms: number) {
  const own = line();
  const unit = own.line.enter('32GiB');
  unit.begun();
  own.clock.ms += ms;
  unit.left(true);
  return own;
}

it('an idle device begins at once', () => {
  expect(line().line.beginsInMs()).toBe(0);
  expect(measured(1_500).line.beginsInMs()).toBe(0);
});

it('the next unit is taken as soon as the one before has begun, where that is short', () => {
  const { line, clock } = measured(1_500);
  const unit = line.enter('32GiB');
  expect(line.beginsInMs()).toBeNull();
  unit.begun();
  expect(line.beginsInMs()).toBe(1_500);
  clock.ms += 1_000;
  expect(line.beginsInMs()).toBe(500);
  clock.ms += 700;
  expect(line.beginsInMs()).toBe(1);
});

it('nothing is taken behind a unit that is late and may hang', () => {
  const { line, clock } = measured(1_500);
  line.enter('32GiB').begun();
  clock.ms += 3_001;
  expect(line.beginsInMs()).toBeNull();
});

it('and shortly before the end where it is long, so that others and urgent work are not kept waiting', () => {
  const { line, clock } = measured(60_000);
  line.enter('32GiB').begun();
  expect(line.beginsInMs()).toBeNull();
  clock.ms += 57_900;
  expect(line.beginsInMs()).toBeNull();
  clock.ms += 200;
  expect(line.beginsInMs()).toBe(1_900);
});

it('no third one, and none behind a unit of which nothing is known', () => {
  const { line } = measured(1_500);
  const unit = line.enter('32GiB');
  unit.begun();
  const next = line.enter('32GiB');
  expect(line.beginsInMs()).toBeNull();
  unit.left(true);
  expect(line.beginsInMs()).toBeNull();
  next.begun();
  expect(line.beginsInMs()).not.toBeNull();
  next.left(false);
  line.enter('64GiB').begun();
  expect(line.beginsInMs()).toBeNull();
});

it('only units that went well say how long one takes, from when the device began it', () => {
  const { line, clock } = measured(1_500);
  const failed = line.enter('32GiB');
  failed.begun();
  clock.ms += 10;
  failed.left(false);
  expect(line.seconds()).toEqual({ '32GiB': 1.5 });
  const waited = line.enter('32GiB');
  clock.ms += 5_000;
  waited.begun();
  clock.ms += 1_000;
  waited.left(true);
  waited.left(true);
  expect(line.seconds()).toEqual({ '32GiB': 1 });
});

it('what a proof for warming up took counts until a unit was measured, and is told to nobody', () => {
  const { line: own, clock } = line();
  own.expect('32GiB', 1_500);
  const unit = own.enter('32GiB');
  unit.begun();
  expect(own.beginsInMs()).toBe(1_500);
  expect(own.seconds()).toEqual({});
  clock.ms += 1_000;
  unit.left(true);
  own.enter('32GiB').begun();
  expect(own.beginsInMs()).toBe(1_000);
  expect(own.seconds()).toEqual({ '32GiB': 1 });
});
