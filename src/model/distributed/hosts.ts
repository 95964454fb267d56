/** A machine that a model is to be divided over. */
export interface Host {
  readonly name: string;
  /** `IP:PORT` of its end of the ring. */
  readonly address: string;
  /** Memory that the model may take there. */
  readonly memoryBytes: number;
  /** Bandwidth of its memory. */
  readonly bytesPerSecond: number;
}

/** The connection of neighbours, in one direction. */
export interface Link {
  readonly bytesPerSecond: number;
  /** Seconds until the first byte of a message is there. */
  readonly latency: number;
  /** A cable between any two machines, instead of a ring. */
  readonly mesh: boolean;
}

export interface Hosts {
  /** The first one runs the program. */
  readonly hosts: readonly Host[];
  readonly link: Link;
}
