import { ReplayPlayer, STEP_MS } from './player';

describe('ReplayPlayer', () => {
  let player: ReplayPlayer;

  beforeEach(() => {
    jest.useFakeTimers();
    player = new ReplayPlayer();
    player.reset(3, 0);
  });

  afterEach(() => {
    player.dispose();
    jest.useRealTimers();
  });

  it('plays to the last step and stops there', () => {
    const seen: number[] = [];
    player.stateChanged.connect(() => seen.push(player.position));
    player.play();
    expect(player.isPlaying).toBe(true);
    jest.advanceTimersByTime(STEP_MS);
    expect(player.position).toBe(1);
    jest.advanceTimersByTime(STEP_MS);
    expect(player.position).toBe(2);
    expect(player.isPlaying).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
    expect(seen).toEqual([0, 1, 2]);
  });

  it('plays from the first step if the last step is the current step', () => {
    player.goTo(2);
    player.play();
    expect(player.position).toBe(0);
    expect(player.isPlaying).toBe(true);
  });

  it('does not play without a next step', () => {
    player.reset(1, 0);
    player.play();
    expect(player.isPlaying).toBe(false);
    player.reset(0, -1);
    player.play();
    expect(player.isPlaying).toBe(false);
    expect(player.position).toBe(0);
  });

  it('stops on goTo and on dispose', () => {
    player.play();
    player.goTo(1);
    expect(player.isPlaying).toBe(false);
    player.play();
    player.dispose();
    player.dispose();
    expect(jest.getTimerCount()).toBe(0);
    player.play();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('changes speed while it plays', () => {
    player.play();
    player.speed = 4;
    jest.advanceTimersByTime(STEP_MS / 4);
    expect(player.position).toBe(1);
    player.speed = 0;
    expect(player.speed).toBe(4);
  });

  it('keeps the position within the steps', () => {
    player.goTo(99);
    expect(player.position).toBe(2);
    player.goTo(-5);
    expect(player.position).toBe(0);
  });

  it('moves to a new last step only if the last step was the current step', () => {
    player.goTo(2);
    player.updateLength(5);
    expect(player.position).toBe(4);
    player.goTo(1);
    player.updateLength(6);
    expect(player.position).toBe(1);
    player.updateLength(1);
    expect(player.position).toBe(0);
  });
});
