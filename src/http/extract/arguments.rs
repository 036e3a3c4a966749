//! The arguments of a handler, extracted in their order.
//!
//! actix-web extracts all arguments at the same time, and the first failure is the answer. A faulty body was then a 422 while the database looked up the caller,
//! and a 401 or 403 when the caller was cached. It also dropped the look-up in the middle of its query, and the pool lost the connection. Here an argument
//! is extracted after those before it. Handlers of the API take the caller and the permissions first (`tests/house`), so the answer does not depend on a cache.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::dev::Payload;
use actix_web::{Error, FromRequest, Handler, HttpRequest, Responder, Route, web};

/// A route with a handler, whose arguments are extracted one after the other.
pub(crate) fn handler<F, Args>(answer: F) -> Route
where
    F: Handler<Args>,
    F::Output: Responder + 'static,
    Args: 'static,
    InOrder<Args>: FromRequest,
{
    web::to(move |InOrder(arguments): InOrder<Args>| answer.call(arguments))
}

/// The arguments of a handler.
pub(crate) struct InOrder<Args>(Args);

impl FromRequest for InOrder<()> {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(())))
    }
}

/// An argument, before and after it is extracted.
enum Argument<T: FromRequest> {
    Awaited(T::Future),
    Extracted(T),
    Taken,
}

impl<T: FromRequest> Argument<T>
where
    T::Future: Unpin,
{
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let Self::Awaited(future) = self {
            match Pin::new(future).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                Poll::Ready(Ok(value)) => *self = Self::Extracted(value),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn take(&mut self) -> Option<T> {
        match std::mem::replace(self, Self::Taken) {
            Self::Extracted(value) => Some(value),
            Self::Awaited(_) | Self::Taken => None,
        }
    }
}

/// Implements the extraction of a number of arguments. actix-web does it in the same way, but polls all of them each time.
macro_rules! in_order {
    ($extraction:ident: $($place:ident $argument:ident),+) => {
        pub(crate) struct $extraction<$($argument: FromRequest),+> {
            $($place: Argument<$argument>),+
        }

        // The arguments are not pinned in it.
        impl<$($argument: FromRequest),+> Unpin for $extraction<$($argument),+> {}

        impl<$($argument: FromRequest + 'static),+> FromRequest for InOrder<($($argument,)+)>
        where
            $($argument::Future: Unpin),+
        {
            type Error = Error;
            type Future = $extraction<$($argument),+>;

            fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
                $extraction { $($place: Argument::Awaited($argument::from_request(req, payload))),+ }
            }
        }

        impl<$($argument: FromRequest),+> Future for $extraction<$($argument),+>
        where
            $($argument::Future: Unpin),+
        {
            type Output = Result<InOrder<($($argument,)+)>, Error>;

            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                let this = self.get_mut();
                $(std::task::ready!(this.$place.poll(context))?;)+
                let arguments = ($(this.$place.take().expect("each argument is extracted once"),)+);
                Poll::Ready(Ok(InOrder(arguments)))
            }
        }
    };
}

in_order!(One: first A);
in_order!(Two: first A, second B);
in_order!(Three: first A, second B, third C);
in_order!(Four: first A, second B, third C, fourth D);
in_order!(Five: first A, second B, third C, fourth D, fifth E);
in_order!(Six: first A, second B, third C, fourth D, fifth E, sixth F);
in_order!(Seven: first A, second B, third C, fourth D, fifth E, sixth F, seventh G);
in_order!(Eight: first A, second B, third C, fourth D, fifth E, sixth F, seventh G, eighth H);

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::app::problem::{Problem, ProblemCode};
    use crate::http::extract::Extracting;

    /// A caller who is looked up for a while, and is not accepted.
    struct Unaccepted;

    impl FromRequest for Unaccepted {
        type Error = Problem;
        type Future = Extracting<Self>;

        fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
            Box::pin(async {
                tokio::task::yield_now().await;
                Err(Problem::new(ProblemCode::InvalidToken))
            })
        }
    }

    /// An input whose fault is found at once.
    struct Faulty;

    impl FromRequest for Faulty {
        type Error = Problem;
        type Future = Ready<Result<Self, Problem>>;

        fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
            ready(Err(Problem::new(ProblemCode::InvalidBody)))
        }
    }

    async fn status<Args>() -> Option<u16>
    where
        InOrder<Args>: FromRequest,
    {
        let req = TestRequest::default().to_http_request();
        let failure = InOrder::<Args>::from_request(&req, &mut Payload::None).await.err()?;
        let failure: Error = failure.into();
        Some(failure.as_response_error().status_code().as_u16())
    }

    #[actix_web::test]
    async fn the_first_argument_that_fails_answers_even_if_a_later_one_fails_sooner() {
        assert_eq!(status::<(HttpRequest, Unaccepted, Faulty)>().await, Some(401));
        assert_eq!(status::<(Faulty, Unaccepted)>().await, Some(422));
        assert_eq!(status::<(HttpRequest, HttpRequest)>().await, None);
        assert_eq!(status::<()>().await, None);
    }
}
