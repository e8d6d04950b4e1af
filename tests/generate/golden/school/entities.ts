// Types of what school-{stage} stores, made from its model. Edit the model instead.

/** The same, seen from the class. */
export interface AttendedBy {
  pupil_id: string;
  school_id: string;
  class_id: string;
}

/** A pupil in a class. */
export interface Attends {
  pupil_id: string;
  school_id: string;
  class_id: string;
}

/** A class of a school; its name is a reserved word in many places. */
export interface Class {
  school_id: string;
  class_id: string;
  title: string;
  grade: number;
  rank: number;
  city: string;
  street: string;
  starts: string;
  room: Room | null;
  pk: string;
}

/** What a lesson is. */
export type Kind = "lecture" | "exercise";

/** One hour of a class. */
export interface Lesson {
  school_id: string;
  class_id: string;
  starts_at: string;
  status: "open" | "done";
  kind: Kind;
  drops_out_at: string | null;
  tags: string[];
  notes: string;
  extra: Record<string, number | string>;
  span: [number, string];
  marks: Mark[];
  photo: string | null;
  anything: unknown;
}

/** A mark with a remark. */
export interface Mark {
  points: number;
  remark: string;
}

/** Somebody who learns. */
export interface Pupil {
  pupil_id: string;
  name: string;
  class_title: string;
  class_id: string;
  school_id: string;
  born: string | null;
  fee: string;
}

/** Where a lesson is given. */
export interface Room {
  building: string;
  seats: number | null;
}

/**
 * A school. Everything else hangs on it.
 *
 * What stands here is more than one line.
 */
export interface School {
  school_id: string;
  name: string;
  /** The part after the "@" | of addresses */
  domain: string | null;
  lessons: number;
}

/** What identifies one School. */
export type SchoolKey = Pick<School, "school_id">;

/** What identifies one Class. */
export type ClassKey = Pick<Class, "school_id" | "class_id">;

/** What identifies one Lesson. */
export type LessonKey = Pick<Lesson, "school_id" | "class_id" | "starts_at">;

/** What identifies one Pupil. */
export type PupilKey = Pick<Pupil, "pupil_id">;

/** What identifies one Attends. */
export type AttendsKey = Pick<Attends, "pupil_id" | "school_id" | "class_id">;

/** What identifies one AttendedBy. */
export type AttendedByKey = Pick<AttendedBy, "pupil_id" | "school_id" | "class_id">;

/** Every entity by its stored type. */
export interface EntityTypes {
  School: School;
  class: Class;
  Lesson: Lesson;
  Pupil: Pupil;
  Attends: Attends;
  AttendedBy: AttendedBy;
}
