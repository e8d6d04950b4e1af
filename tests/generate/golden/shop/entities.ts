// Types of what AppTable stores, made from its model. Edit the model instead.

/** Where a parcel can go. */
export interface Address {
  street: string;
  city: string;
}

/**
 * Something that a customer thinks of buying. Each is an item of its own, so that two windows do not get in each
 * other's way; what was forgotten goes by itself.
 */
export interface CartItem {
  username: string;
  product_id: string;
  quantity: number;
  forgotten_at: string;
}

/** A shelf of the shop. */
export interface Category {
  category_id: string;
  name: string;
}

/** That an order is in the sums of its day and of its products, written with them, so that it is there once. */
export interface CountedOrder {
  order_id: string;
}

/** Somebody who buys. The email address is unique, whatever its capitals. */
export interface Customer {
  username: string;
  email: string;
  name: string;
  addresses: Address[];
  leaving: boolean;
}

/** What was sold in a day. A year is a partition. */
export interface DailySales {
  day: string;
  orders: number;
  total: string;
}

/** What a customer bought; its status moves it through GSI2. */
export interface Order {
  username: string;
  order_id: string;
  placed_at: string;
  status: "PENDING" | "SHIPPED" | "DELIVERED" | "CANCELLED";
  total: string;
  lines: OrderLine[];
  tracking: string | null;
  payments: number;
}

/** A line of an order as an item, written with the order: an order has many products, and one key on an index. */
export interface OrderItem {
  order_id: string;
  line: number;
  product_id: string;
  placed_at: string;
  quantity: number;
}

/** One product of an order, at the price of that day. */
export interface OrderLine {
  product_id: string;
  quantity: number;
  price: string;
}

/** Money for an order; it lies with the customer, by order. */
export interface Payment {
  username: string;
  order_id: string;
  payment_id: string;
  amount: string;
  status: "AUTHORISED" | "CAPTURED" | "REFUNDED" | "VOIDED";
}

/** Something to buy, and how many of it are there. */
export interface Product {
  product_id: string;
  category_id: string;
  name: string;
  price: string;
  stock: number;
}

/** How much of a product was sold in a year; GSI2 sorts by it. */
export interface ProductSales {
  product_id: string;
  year: number;
  sold: number;
}

/** A word in the name of a product, for the search. */
export interface ProductWord {
  word: string;
  category_id: string;
  product_id: string;
}

/**
 * What a customer says of a product; it lies in the product's partition, in order of time. GSI1 finds all of one
 * customer, who may want them back, or gone.
 */
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

/** What identifies one CartItem. */
export type CartItemKey = Pick<CartItem, "username" | "product_id">;

/** What identifies one Payment. */
export type PaymentKey = Pick<Payment, "username" | "order_id" | "payment_id">;

/** What identifies one OrderItem. */
export type OrderItemKey = Pick<OrderItem, "order_id" | "line">;

/** What identifies one ProductWord. */
export type ProductWordKey = Pick<ProductWord, "word" | "category_id" | "product_id">;

/** What identifies one ProductSales. */
export type ProductSalesKey = Pick<ProductSales, "product_id" | "year">;

/** What identifies one CountedOrder. */
export type CountedOrderKey = Pick<CountedOrder, "order_id">;

/** What identifies one DailySales. */
export type DailySalesKey = Pick<DailySales, "day">;

/** Every entity by its stored type. */
export interface EntityTypes {
  Customer: Customer;
  Order: Order;
  Product: Product;
  Review: Review;
  Category: Category;
  CartItem: CartItem;
  Payment: Payment;
  OrderItem: OrderItem;
  ProductWord: ProductWord;
  ProductSales: ProductSales;
  CountedOrder: CountedOrder;
  DailySales: DailySales;
}
