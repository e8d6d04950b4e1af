// Types of what AppTable stores, made from its model. Edit the model instead.

/** Where a parcel can go. */
export interface Address {
  street: string;
  city: string;
}

/** A shelf of the shop. */
export interface Category {
  category_id: string;
  name: string;
}

/** Somebody who buys. The email address is unique, whatever its capitals. */
export interface Customer {
  username: string;
  email: string;
  name: string;
  addresses: Address[];
}

/** What a customer bought; its status moves it through GSI2. */
export interface Order {
  username: string;
  order_id: string;
  placed_at: string;
  status: "PENDING" | "SHIPPED" | "DELIVERED";
  total: string;
  lines: OrderLine[];
  tracking: string | null;
}

/** One product of an order, at the price of that day. */
export interface OrderLine {
  product_id: string;
  quantity: number;
  price: string;
}

/** Something to buy. */
export interface Product {
  product_id: string;
  category_id: string;
  name: string;
  price: string;
}

/** What a customer says of a product; it lies in the product's partition, in order of time. */
export interface Review {
  product_id: string;
  review_id: string;
  written_at: string;
  username: string;
  stars: number;
  text: string;
}

/** What identifies one Customer. */
export type CustomerKey = Pick<Customer, "username">;

/** What identifies one Order. */
export type OrderKey = Pick<Order, "username" | "order_id" | "placed_at">;

/** What identifies one Product. */
export type ProductKey = Pick<Product, "product_id">;

/** What identifies one Review. */
export type ReviewKey = Pick<Review, "product_id" | "review_id" | "written_at">;

/** What identifies one Category. */
export type CategoryKey = Pick<Category, "category_id">;

/** Every entity by its stored type. */
export interface EntityTypes {
  Customer: Customer;
  Order: Order;
  Product: Product;
  Review: Review;
  Category: Category;
}
