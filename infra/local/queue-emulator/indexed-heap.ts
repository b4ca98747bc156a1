/** Where an item remembers its index in the heap, so that removal needs no search. */
export type Place<T> = {
  get(item: T): number;
  set(item: T, index: number): void;
};

/** Binary heap with removal of any item in O(log n). `before(a, b)`: a leaves first. */
export class IndexedHeap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;
  readonly #place: Place<T>;

  constructor(before: (a: T, b: T) => boolean, place: Place<T>) {
    this.#before = before;
    this.#place = place;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** The item must be in this heap. */
  remove(item: T): void {
    const index = this.#place.get(item);
    const last = this.#items.pop();
    this.#place.set(item, -1);
    if (last === undefined || last === item) return;
    this.#rise(last, index);
    this.#sink(last, this.#place.get(last));
  }

  #rise(item: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex] as T;
      if (!this.#before(item, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(item, index);
  }

  #sink(item: T, from: number): void {
    const size = this.#items.length;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= size) break;
      const right = childIndex + 1;
      if (right < size && this.#before(this.#items[right] as T, this.#items[childIndex] as T)) {
        childIndex = right;
      }
      const child = this.#items[childIndex] as T;
      if (!this.#before(child, item)) break;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(item, index);
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    this.#place.set(item, index);
  }
}
