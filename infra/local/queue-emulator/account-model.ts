/** Prepaid money in whole micro-dollars, because 50,000 additions of 0.00002 drift as floats. */
export class AccountModel {
  #microUsd: number;

  constructor(balanceUsd: number) {
    this.#microUsd = toMicroUsd(balanceUsd);
  }

  get balanceUsd(): number {
    return this.#microUsd / 1_000_000;
  }

  set balanceUsd(usd: number) {
    this.#microUsd = toMicroUsd(usd);
  }

  /** Takes the price off, or answers false and takes nothing. */
  charge(microUsd: number): boolean {
    if (this.#microUsd < microUsd) return false;
    this.#microUsd -= microUsd;
    return true;
  }
}

function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}
