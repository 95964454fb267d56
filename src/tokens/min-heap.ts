/** A heap of numbers, smallest first. */
export class MinHeap {
  private readonly values: number[] = [];

  clear(): void {
    this.values.length = 0;
  }

  push(value: number): void {
    const { values } = this;
    let at = values.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = values[parent] as number;
      if (above <= value) break;
      values[at] = above;
      at = parent;
    }
    values[at] = value;
  }

  pop(): number | undefined {
    const { values } = this;
    const least = values[0];
    const last = values.pop();
    if (last !== undefined && values.length > 0) this.sink(last);
    return least;
  }

  /** Replaces the smallest value. */
  private sink(value: number): void {
    const { values } = this;
    let at = 0;
    for (let child = 1; child < values.length; child = 2 * at + 1) {
      if (child + 1 < values.length && (values[child + 1] as number) < (values[child] as number)) child += 1;
      const below = values[child] as number;
      if (below >= value) break;
      values[at] = below;
      at = child;
    }
    values[at] = value;
  }
}
