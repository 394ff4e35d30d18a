/** What each product delivers, as schemas: the OpenAPI description shows them, and a test holds every payload to its own. */

